import { expect, it } from 'vitest';
import { MirrorFetch } from '../../../src/flows/mirror/mirror-fetch.ts';
import { TableMirror } from '../../../src/flows/mirror/table-mirror.ts';
import { newDataDir, openTestCore } from '../../adapters/store/open-test-store.ts';
import { bytesOf, coilsOf, MACHINES } from '../../adapters/store/thread/mirror/orders-under-test.ts';

const FORWARDING = { maxBytes: 1e9, gatewayId: 'g1', server: 'central' };

/** Coils of a central server that gives each first page an ETag, and any later one empty. */
function openCoils() {
  const page = { bytes: bytesOf(coilsOf(3)), etag: '"1"' };
  const statuses: number[] = [];
  const ask = async ({ path, headers }: { readonly path: string; readonly headers?: Record<string, string> }) => {
    const isFirst = path.includes('skip=0');
    const status = isFirst && headers?.['if-none-match'] === page.etag ? 304 : 200;
    if (isFirst) statuses.push(status);
    const bytes = Buffer.from(status === 304 ? '' : isFirst ? page.bytes : '[]');
    return { kind: 'answered', status, headers: isFirst ? { etag: page.etag } : {}, bytes, extent: 'whole' } as const;
  };
  const { tables } = openTestCore(newDataDir(), 'run', false, FORWARDING).mirror;
  const mirror = new TableMirror({
    fetch: new MirrorFetch({ ask }, () => undefined),
    store: {
      mirrorBegin: (_, scope) => tables.coils.begin(scope),
      mirrorPage: (_, bytes, machines) => tables.coils.page(bytes, machines),
      mirrorUnlisted: async () => [],
      mirrorApply: (_, at, isComplete) => tables.coils.apply(at, isComplete),
      mirrorRecord: async () => false,
    },
    machines: () => MACHINES,
    wallMs: () => 1_000,
    onRefused: () => undefined,
  });
  return { page, statuses, read: () => mirror.read('coils', 'all', true) };
}

it('UP-07 a page of a table that is unchanged since it was taken is not sent again', async () => {
  const { statuses, read } = openCoils();
  for (let reading = 0; reading < 3; reading += 1) await read();
  // The first reading changes the table, so the second one needs the whole page again.
  expect(statuses).toEqual([200, 304, 200, 304]);
});

it('UP-07 an answer without a page is a fault as often as it comes, also under an ETag', async () => {
  const { page, read } = openCoils();
  for (let reading = 0; reading < 3; reading += 1) await read();
  page.bytes = Buffer.from('the list is being made');
  page.etag = '"2"';
  await expect(read()).rejects.toThrow('/api/v1/coils');
  await expect(read()).rejects.toThrow('/api/v1/coils');
});

it('UP-07 a table of one page is cheap to read at each poll', async () => {
  const { read } = openCoils();
  expect(await read()).toMatchObject({ isCheap: true });
  expect(await read()).toMatchObject({ isCheap: true, changes: 0 });
});
