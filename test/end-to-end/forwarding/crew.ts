import type { Json, Program } from '../program.ts';

/** The plant of the gateway, and its people; tasks and coils belong to the central server. */

export const LOTS = [1, 2, 3].map((number) => ({ taskId: `T-${number}`, coilId: `C-${number}` }));
const PLACES = ['WH-A1', 'WH-A2', 'WH-A3'];
const MACHINES = ['RF-01', 'RF-02'];
/** The destination of the tasks' coils: the location of the first machine. */
const TASK_PLACE = 'RF-01';
/** Each client has its own key, because the requests of a key are limited. */
const CLIENT_KEYS = 7;
const ANSWER_WITHIN_MS = 5_000;
const CUT_OFF_PAUSE_MS = 20;

function clientKey(index: number): string {
  return `client-key-${index}-0123456789`;
}

export const FLOOR_PLANT = JSON.stringify({
  locations: [{ code: TASK_PLACE, name: TASK_PLACE, category: 'Machine' }],
  machines: MACHINES.map((machineId) => ({
    machineId,
    topicRoot: `plant1/${machineId.toLowerCase()}`,
    ...(machineId === TASK_PLACE && { location: TASK_PLACE }),
    claims: ['service.machine.warehouse'],
    variables: ['lineSpeed'],
  })),
  parts: [{ partId: 'P-100', partName: 'Panel 100' }],
  apiKeys: Array.from({ length: CLIENT_KEYS }, (_, index) => ({
    principal: `client-${index}`,
    role: 'business',
    key: clientKey(index),
  })),
});

/** Asks the present process of the gateway. */
function askOf(program: () => Program, key: string): Ask {
  return async (method, path, body): Promise<Told | null> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${program().httpPort}${path}`, {
        method,
        headers: { authorization: `ApiKey ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') === true;
      return { status: answer.status, body: text === '' || !isJson ? text : JSON.parse(text) };
    } catch {
      // A client that is cut off tries again after a pause.
      await new Promise((resolve) => setTimeout(resolve, CUT_OFF_PAUSE_MS));
      return null;
    }
  };
}

export function hireCrew(program: () => Program, random: () => number) {
  const ask = (index: number) => askOf(program, clientKey(index));
  return {
    office: new Office('D', ask(0), random),
    drivers: LOTS.map(({ taskId, coilId }, index) => new Driver(taskId, coilId, PLACES, ask(1 + index), random)),
    designer: new Designer(ask(4), random),
    machines: MACHINES.map((machineId, index) => new Machine(machineId, ask(5 + index), random)),
  };
}

export type Crew = ReturnType<typeof hireCrew>;

/** Clients that work at the gateway without pause, each one step after the other, and remember the answers. */

interface Told {
  readonly status: number;
  readonly body: Json;
}

/** Asks the gateway; null if the connection ended without an answer. */
type Ask = (method: string, path: string, body?: object) => Promise<Told | null>;

type Random = () => number;

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** 2xx means yes and 4xx means no; a missing answer, 429 and 5xx leave the outcome open. */
function isRefused({ status }: Told): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** A write to the other system whose answer was lost: it may still be completed (D-16). */
function isUnconfirmed({ status, body }: Told): boolean {
  return status === 503 && JSON.stringify(body).includes('is unknown');
}

const GONE = null;
const ORDERS_EACH = 5;

/** The office: puts orders, replaces and removes them. Its last write is the order's salesOrder. */
class Office {
  readonly orders = new Map<string, Ledger<string | null>>();
  readonly #ask: Ask;
  readonly #random: Random;
  #count = 0;

  constructor(name: string, ask: Ask, random: Random) {
    this.#ask = ask;
    this.#random = random;
    for (let index = 0; index < ORDERS_EACH; index++)
      this.orders.set(`${name}-${index}`, new Ledger<string | null>(GONE));
  }

  async act(): Promise<void> {
    const [documentID, ledger] = pick(this.#random, [...this.orders]);
    const isRemoval = this.#random() < 0.2;
    const salesOrder = `${documentID} ${++this.#count}`;
    const acknowledged = ledger.attempt(isRemoval ? GONE : salesOrder);
    const order = { documentID, orderCode: `code ${documentID}`, action: 'Put', salesOrder, products: [] };
    const told = isRemoval
      ? await this.#ask('DELETE', `/api/v1/orders/${documentID}`)
      : await this.#ask('POST', '/api/v1/orders/add', order);
    if (told === null) return;
    if (told.status < 300 || (isRemoval && told.status === 404)) acknowledged();
    else if (isRefused(told)) throw new Error(`order ${documentID}: ${told.status} ${JSON.stringify(told.body)}`);
  }
}

const TASK_STEPS = ['ready', 'inProcess', 'inTransit', 'cancel'] as const;
const WORKERS = ['ann', 'bob', 'cyd'];

/** A forklift driver with her own task and coil. */
class Driver {
  readonly taskId: string;
  readonly coilId: string;
  readonly #ask: Ask;
  readonly #random: Random;
  readonly #state: Ledger<string>;
  readonly #places: readonly string[];

  constructor(taskId: string, coilId: string, places: readonly string[], ask: Ask, random: Random) {
    this.taskId = taskId;
    this.coilId = coilId;
    this.#places = places;
    this.#ask = ask;
    this.#random = random;
    this.#state = new Ledger<string>('Ready');
  }

  /** The possible states of the task. */
  get possible(): readonly string[] {
    return this.#state.possible;
  }

  async act(): Promise<void> {
    if (this.#random() < 0.2) return this.#reportUnattainable();
    const step = pick(this.#random, TASK_STEPS);
    const { body, next } = {
      ready: { body: undefined, next: 'Ready' },
      inProcess: { body: { userName: pick(this.#random, WORKERS) }, next: 'InProcess' },
      inTransit: { body: { coilId: this.coilId }, next: 'InTransit' },
      cancel: { body: { coilId: this.coilId, location: pick(this.#random, this.#places) }, next: 'Ready' },
    }[step];
    const acknowledged = this.#state.attempt(next);
    const told = await this.#operate(step, body);
    if (told === null) return;
    if (told.status < 300) acknowledged();
    else if (isRefused(told) || !isUnconfirmed(told)) this.#state.refused();
  }

  /** The operation leaves the task in its state. */
  async #reportUnattainable(): Promise<void> {
    await this.#operate('unattainable', { unattainableCode: 'UR-1' });
  }

  #operate(operation: string, body: object | undefined): Promise<Told | null> {
    return this.#ask('POST', `/api/v1/warehouseTasks/${this.taskId}/${operation}`, body);
  }
}

/** Draws profiles, changes and archives them. */
class Designer {
  readonly created = new OnceLedger();
  /** The possible contents of each created profile; `archived` once it is. */
  readonly profiles = new Map<string, { readonly name: string; readonly says: Ledger<string> }>();
  readonly #ask: Ask;
  readonly #random: Random;
  #count = 0;

  constructor(ask: Ask, random: Random) {
    this.#ask = ask;
    this.#random = random;
  }

  async act(): Promise<void> {
    const known = [...this.profiles];
    if (known.length < 3 || this.#random() < 0.3) return this.#create();
    const [profileId, { name, says }] = pick(this.#random, known);
    if (says.possible.includes('archived')) return this.#create();
    const isRemoval = this.#random() < 0.2;
    const description = isRemoval ? 'archived' : `edit ${++this.#count}`;
    const acknowledged = says.attempt(description);
    const path = `/api/v1/profiles/${profileId}`;
    const told = isRemoval
      ? await this.#ask('DELETE', path)
      : await this.#ask('PUT', path, this.#profile(name, description));
    if (told === null) return;
    if (told.status < 300) acknowledged();
    else if (isRefused(told)) says.refused();
  }

  async #create(): Promise<void> {
    const name = `profile ${++this.#count}`;
    const acknowledged = this.created.attempt(name);
    const told = await this.#ask('POST', '/api/v1/profiles', this.#profile(name, 'new'));
    if (told === null || told.status >= 300) return;
    acknowledged();
    this.profiles.set(told.body.profileId, { name, says: new Ledger('new') });
  }

  #profile(profileName: string, description: string): object {
    return { profileName, description, features: [{ type: 'Straight', length: 1 + Math.floor(this.#random() * 10) }] };
  }
}

/** A machine that makes a part with every status, measures, and stops now and then. */
class Machine {
  readonly machineId: string;
  readonly points = new OnceLedger();
  /** Parts whose status was answered. */
  toldParts = 0;
  readonly #ask: Ask;
  readonly #random: Random;
  #parts = 0;
  #uptimeMs = 0;
  #value = 0;

  constructor(machineId: string, ask: Ask, random: Random) {
    this.machineId = machineId;
    this.#ask = ask;
    this.#random = random;
  }

  async act(): Promise<void> {
    if (this.#random() < 0.6) return this.#measure();
    this.#parts += 1;
    this.#uptimeMs += 100;
    const parts = this.#parts;
    const told = await this.#ask('POST', '/api/device/status', this.#status(this.#random() < 0.9));
    if (told?.status === 200) this.toldParts = parts;
  }

  /** Sends its state once more, so that no change waits for the next status. */
  async settle(): Promise<void> {
    this.#uptimeMs += 100;
    const told = await this.#ask('POST', '/api/device/status', this.#status(true));
    if (told?.status !== 200) throw new Error(`${this.machineId}: ${told?.status}`);
    this.toldParts = this.#parts;
  }

  async #measure(): Promise<void> {
    const value = ++this.#value;
    const acknowledged = this.points.attempt(String(value));
    const told = await this.#ask('POST', '/api/device/vars', { machineId: this.machineId, lineSpeed: value });
    if (told?.status === 200) acknowledged();
  }

  #status(running: boolean): object {
    return {
      machineId: this.machineId,
      running,
      mSecSinceBoot: this.#uptimeMs,
      cycle: this.#parts,
      goodPart: this.#parts,
      badPart: 0,
      override: false,
      machinePower: true,
      partId: 'P-100',
    };
  }
}

/** The requests for one record, in order, and whether each was acknowledged: kept by the harness alone. */
class Ledger<Value> {
  readonly #attempts: { readonly value: Value; isAcknowledged: boolean }[] = [];

  constructor(initial: Value) {
    this.#attempts.push({ value: initial, isAcknowledged: true });
  }

  /** Notes an attempt; gives a function to call once it is acknowledged. */
  attempt(value: Value): () => void {
    const attempt = { value, isAcknowledged: false };
    this.#attempts.push(attempt);
    return () => {
      attempt.isAcknowledged = true;
    };
  }

  /** Removes a refused attempt. */
  refused(): void {
    this.#attempts.pop();
  }

  /** The values that may be there now: the last acknowledged one, and any later one whose answer was lost. */
  get possible(): readonly Value[] {
    const last = this.#attempts.findLastIndex(({ isAcknowledged }) => isAcknowledged);
    return this.#attempts.slice(last).map(({ value }) => value);
  }
}

/** Records that have to arrive: acknowledged ones exactly once, those without an answer at most once. */
class OnceLedger {
  readonly #acknowledged = new Set<string>();
  readonly #attempted = new Set<string>();

  attempt(id: string): () => void {
    this.#attempted.add(id);
    return () => this.#acknowledged.add(id);
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** A sentence for each record that is lost, doubled or was never sent. */
  faults(found: readonly string[]): readonly string[] {
    const counts = new Map<string, number>();
    for (const id of found) counts.set(id, (counts.get(id) ?? 0) + 1);
    const lost = [...this.#acknowledged].filter((id) => !counts.has(id)).map((id) => `${id} is lost`);
    const doubled = [...counts].filter(([, count]) => count > 1).map(([id, count]) => `${id} came ${count} times`);
    const unknown = [...counts.keys()]
      .filter((id) => !this.#attempted.has(id))
      .map((id) => `${id} was never asked for`);
    return [...lost, ...doubled, ...unknown];
  }
}
