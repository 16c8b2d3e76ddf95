import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../../src/config/load-config.ts';
import { EMPTY_PLANT } from '../../../../src/domain/plant/plant-entry.ts';
import { createGateway } from '../../../../src/gateway/gateway.ts';
import { keyOf, type TaskSeed, warehousePlant } from '../../../end-to-end/warehouse-plant.ts';
import { quietLog, threadEntry } from '../../store/open-test-store.ts';
import {
  type Answer,
  call,
  type Documented,
  documentedIn,
  type GatewayUnderTest,
  keyOf as keyOfRole,
  machineOf,
  startGateway,
} from '../gateway-under-test.ts';

export interface WarehouseSettings {
  readonly tasks: readonly TaskSeed[];
  readonly coilIds?: readonly string[];
  /** Null without an agent. */
  readonly agentUrl: string | null;
  readonly timeoutSeconds?: number;
  /** The central server that writes are passed on to. */
  readonly upstream?: object;
}

/** A whole gateway with a small warehouse, in this process. */
export class WarehouseUnderTest {
  readonly localKey: string;
  readonly #url: string;
  readonly #documented: Documented;
  readonly #close: () => Promise<void>;
  #calls = 0;

  private constructor(url: string, localKey: string, documented: Documented, close: () => Promise<void>) {
    this.#url = url;
    this.localKey = localKey;
    this.#documented = documented;
    this.#close = close;
  }

  static async start({
    tasks,
    coilIds,
    agentUrl,
    timeoutSeconds = 0.3,
    upstream,
  }: WarehouseSettings): Promise<WarehouseUnderTest> {
    const dir = mkdtempSync(path.join(tmpdir(), 'plantgate-warehouse-'));
    const alone = agentUrl === null ? { kind: 'none' } : { kind: 'http', url: agentUrl, timeoutSeconds };
    const settings = {
      http: { host: '127.0.0.1', port: 0 },
      mqtt: { host: '127.0.0.1', port: 0 },
      plant: 'plant.yaml',
      legacyAgent: upstream === undefined ? alone : { kind: 'upstream' },
      ...(upstream !== undefined && { upstream }),
    };
    writeFileSync(path.join(dir, 'plant.yaml'), warehousePlant(tasks, coilIds));
    writeFileSync(path.join(dir, 'plantgate.yaml'), JSON.stringify(settings));
    const { config } = loadConfig({
      file: path.join(dir, 'plantgate.yaml'),
      environment: {},
      cwd: dir,
      hostName: 'test',
      timeZone: 'America/Chicago',
    });
    const gateway = await createGateway(config, { log: quietLog, storeThreadEntry: threadEntry });
    const url = `http://127.0.0.1:${gateway.addresses.httpPort}`;
    const documented = documentedIn((await call(`${url}/openapi.json`, 'GET', undefined, {})).text);
    return new WarehouseUnderTest(url, gateway.localKey, documented, async () => {
      await gateway.close();
      rmSync(dir, { recursive: true, force: true });
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Calls the business interface, each time with the next key, unless headers say otherwise. The answer is as published. */
  async api(
    method: string,
    place: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const url = `${this.#url}/api/v1${place}`;
    const answer = await call(url, method, body, { authorization: `ApiKey ${keyOf(this.#calls++)}`, ...headers });
    this.#documented.check(method, url, answer);
    return answer;
  }

  operate(taskId: string, operation: string, body?: unknown): Promise<Answer> {
    return this.api('POST', `/warehouseTasks/${encodeURIComponent(taskId)}/${operation}`, body);
  }

  move(coilId: string, location: unknown): Promise<Answer> {
    return this.api('POST', `/coils/${encodeURIComponent(coilId)}/location`, { location });
  }

  async task(taskId: string): Promise<Readonly<Record<string, unknown>>> {
    return { ...((await this.api('GET', `/warehouseTasks/${encodeURIComponent(taskId)}`)).body as object) };
  }

  async locationOf(coilId: string): Promise<unknown> {
    const { body } = await this.api('GET', `/coils/${encodeURIComponent(coilId)}`);
    return typeof body === 'object' && body !== null && 'location' in body ? body.location : undefined;
  }

  local(method: string, place: string): Promise<Answer> {
    return call(`${this.#url}/api/local${place}`, method, undefined, { authorization: `ApiKey ${this.localKey}` });
  }

  /** The records of the events of one name, in the order in which they come from now on. */
  async follow(name: string): Promise<{ readonly heard: readonly Record<string, unknown>[]; stop(): void }> {
    const watching = new AbortController();
    const { signal } = watching;
    const { body } = await fetch(this.eventsUrl, { headers: { authorization: `ApiKey ${this.localKey}` }, signal });
    const heard: Record<string, unknown>[] = [];
    const read = async () => {
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          if (block.includes(`event: ${name}\n`)) heard.push(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}'));
        }
      }
    };
    read().catch((error: unknown) => signal.aborted || heard.push({ error: String(error) }));
    return { heard, stop: () => watching.abort() };
  }

  /** The address of the event stream. */
  get eventsUrl(): string {
    return `${this.#url}/api/local/events`;
  }
}

/** A gateway whose plant has catalogs, and machines that fetch from them. */

const CATALOGS = [
  { catalogId: 1, name: 'Standard', default: true },
  { catalogId: 2, name: 'Trim' },
  { catalogId: 3, name: 'trim' },
];

export const STRAIGHT = { type: 'Straight', length: 2 };
export const ANGLE = { type: 'Angle', angle: 90 };

export function profileOf(changes: object = {}): object {
  return { profileName: 'Drip edge', features: [STRAIGHT, ANGLE, STRAIGHT], ...changes };
}

export type LibraryUnderTest = Awaited<ReturnType<typeof startLibrary>>;

export async function startLibrary() {
  const gateway: GatewayUnderTest = await startGateway();
  const machines = [1, 2].map((number) => ({
    ...machineOf(`RF-0${number}`),
    serialNumber: `SN-0${number}`,
    registrationKey: `reg:secret-${number}`,
    catalogs: [number],
  }));
  await gateway.plant.applyFile({ ...EMPTY_PLANT, catalogs: CATALOGS, machines });
  const business = (method: string, path: string, body?: unknown) =>
    gateway.as(keyOfRole('business'), method, `/api/v1${path}`, body);
  return {
    ...gateway,
    business,
    /** Creates a profile; gives the answered profile. */
    create: async (changes: object = {}) => {
      const { status, body } = await business('POST', '/profiles', profileOf(changes));
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body as { readonly profileId: string; readonly revision: number };
    },
    /** The answer to a machine that sends these credentials. */
    fetch: (credentials: string, query = '') =>
      gateway.call('GET', `/api/machine/profiles${query}`, undefined, {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
    /** Changes a machine of the plant. */
    setMachine: async (machineId: string, change: object) => {
      const machine = await gateway.plant.get('machines', machineId);
      await gateway.plant.put('machines', machineId, { ...machine, ...change });
    },
  };
}

/** Status, body, and `Plantgate-Outcome` where the answer has it (D-55). */
export function told({ status, body, headers }: Answer): readonly unknown[] {
  const { 'plantgate-outcome': outcome } = headers;
  return outcome === undefined ? [status, body] : [status, body, outcome];
}
