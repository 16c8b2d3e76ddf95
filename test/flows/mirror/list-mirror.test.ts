import { describe, expect, it } from 'vitest';
import { SmallLists } from '../../../src/adapters/store/thread/mirror/mirror.ts';
import { ListMirror } from '../../../src/flows/mirror/list-mirror.ts';
import { MirrorFetch } from '../../../src/flows/mirror/mirror-fetch.ts';
import { openPlant } from '../plant-under-test.ts';

const TWO =
  '[{"code":"WH-A1","name":"Rack 1","category":"Warehouse"},{"code":"WH-A2","name":"Rack 2","category":"Warehouse"}]';
const ONE = '[{"code":"WH-A1","name":"Rack 1","category":"Warehouse"}]';
const NO_LIST = 'the list is being made';

/** A central server with one list of locations, which is asked for by ETag if `isTagged`. */
class ListServer {
  text = TWO;
  readonly statuses: number[] = [];
  readonly #isTagged: boolean;

  constructor(isTagged: boolean) {
    this.#isTagged = isTagged;
  }

  ask = async ({ headers }: { readonly headers?: Readonly<Record<string, string>> }) => {
    const etag = `"${this.text.length}"`;
    const status = headers?.['if-none-match'] === etag ? 304 : 200;
    this.statuses.push(status);
    const bytes = Buffer.from(status === 304 ? '' : this.text);
    return { kind: 'answered', status, headers: this.#isTagged ? { etag } : {}, bytes, extent: 'whole' } as const;
  };
}

function openLists(isTagged: boolean) {
  const server = new ListServer(isTagged);
  const { plant, store } = openPlant([], (kind) => kind === 'locations');
  const lists = new SmallLists();
  const mirror = new ListMirror({
    fetch: new MirrorFetch(server, () => undefined),
    store: {
      mirrorList: async (kind, bytes) => lists.read(kind, bytes),
      mirrorListTaken: async (kind) => lists.taken(kind),
    },
    plant,
    onRefused: () => undefined,
  });
  return { server, plant, store, read: () => mirror.read('locations') };
}

describe.each([
  ['with ETags', true],
  ['without ETags', false],
])('UP-07 a list of a central server %s', (_, isTagged) => {
  it('UP-07 is read anew as long as it cannot be written', async () => {
    const { plant, store, read } = openLists(isTagged);
    store.failure = new Error('the disk is full');
    await expect(read()).rejects.toThrow('the disk is full');
    await expect(read()).rejects.toThrow('the disk is full');
    store.failure = null;
    await read();
    expect(plant.ids('locations')).toEqual(['WH-A1', 'WH-A2']);
  });

  it('UP-07 is read anew after it was written once and could not be written since', async () => {
    const { server, plant, store, read } = openLists(isTagged);
    await read();
    server.text = TWO.replace('WH-A2', 'WH-A22');
    store.failure = new Error('the disk is full');
    await expect(read()).rejects.toThrow('the disk is full');
    store.failure = null;
    await read();
    expect(plant.ids('locations')).toContain('WH-A22');
  });

  it('UP-07 is a fault as often as the answer has no list', async () => {
    const { server, read } = openLists(isTagged);
    server.text = NO_LIST;
    await expect(read()).rejects.toThrow('locations');
    await expect(read()).rejects.toThrow('locations');
  });

  it('UP-07 loses a record once it is missing twice', async () => {
    const { server, plant, read } = openLists(isTagged);
    await read();
    server.text = ONE;
    await read();
    expect(plant.ids('locations')).toEqual(['WH-A1', 'WH-A2']);
    await read();
    expect(plant.ids('locations')).toEqual(['WH-A1']);
  });

  it('UP-07 is not written again once it is written', async () => {
    const { server, store, read } = openLists(isTagged);
    for (let reading = 0; reading < 3; reading += 1) await read();
    expect(store.writes).toHaveLength(1);
    expect(server.statuses).toEqual(isTagged ? [200, 304, 304] : [200, 200, 200]);
  });
});
