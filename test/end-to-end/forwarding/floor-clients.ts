import type { Json } from '../program.ts';
import { Ledger, OnceLedger } from './ledger.ts';

/** Clients that work at the gateway without pause, each one step after the other, and remember the answers. */

export interface Told {
  readonly status: number;
  readonly body: Json;
}

/** Asks the gateway; null if the connection ended without an answer. */
export type Ask = (method: string, path: string, body?: object) => Promise<Told | null>;

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
export class Office {
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
export class Driver {
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
export class Designer {
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
export class Machine {
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
