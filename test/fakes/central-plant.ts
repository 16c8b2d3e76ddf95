import { randomUUID } from 'node:crypto';

/**
 * A central server's state and the effects of its endpoints, by interface.md alone, and separate from the product's own
 * rules.
 */

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Known =
  | 'archived'
  | 'coilId'
  | 'documentID'
  | 'location'
  | 'machineId'
  | 'orderCode'
  | 'overrideReason'
  | 'revision'
  | 'selectedCoilId'
  | 'taskState'
  | 'unattainableCode'
  | 'userName'
  | 'description'
  | 'goodPart'
  | 'lineSpeed'
  | 'profileName'
  | 'salesOrder'
  | 'timestamp'
  | 'isComplete';
/** An unchanged record; the fields that are used here have names. */
type Fields = Record<string, unknown> & { [Name in Known]?: unknown };
type Query = URLSearchParams;

const SOURCE_STATES: Readonly<Record<string, readonly string[]>> = {
  ready: ['Pending', 'Ready', 'InProcess'],
  inProcess: ['Ready', 'InProcess'],
  inTransit: ['InProcess', 'InTransit'],
  complete: ['InTransit'],
  cancel: ['InProcess', 'InTransit'],
  unattainable: ['Pending', 'Ready', 'InProcess', 'InTransit'],
};

const ACCEPTED: Answer = { status: 202, body: null };
const DONE: Answer = { status: 200, body: null };

function refused(status: number, ...errors: readonly string[]): Answer {
  return { status, body: { errors } };
}

/** A report of one gateway to the device endpoints. */
export interface DeviceReport {
  readonly machineId: string;
  readonly body: Fields;
}

export class CentralPlant {
  readonly tasks = new Map<string, Fields>();
  readonly coils = new Map<string, Fields>();
  readonly orders = new Map<string, Fields>();
  readonly profiles = new Map<string, Fields>();
  reasonCodes: readonly Fields[] = [];
  locations: readonly Fields[] = [];
  catalogs: readonly Fields[] = [{ catalogId: 1, name: 'Standard', isDefault: true }];
  readonly statuses: DeviceReport[] = [];
  readonly variables: DeviceReport[] = [];
  /** The name under which the summaries of orders are served, of the two possible ones (D-21). */
  summaryPath: 'orderSummary' | 'orderSummaries' = 'orderSummary';
  /** An order's row in the summary, as YAML. */
  summaryRow: (order: Fields) => string = ({ orderCode, documentID }) =>
    `- orderCode: ${JSON.stringify(orderCode ?? null)}\n  documentID: ${JSON.stringify(documentID ?? null)}\n`;
  /** The number of profiles in each answer, for any request; null for all of them each time. */
  profilesAtOnce: number | null = 1_000;
  /** The clock there. */
  wallMs: () => number = Date.now;
  /** The command to every device. */
  command: Fields = { runEnabled: true, attentionNeeded: false, message: null };

  /** Answers a request to a path below the base address; null if there is no such endpoint. */
  answer(method: string, path: string, query: Query, body: Fields): Answer | null {
    const [root = '', version = '', kind = '', id, operation] = path.split('/').slice(1).map(decodeURIComponent);
    if (`${root}/${version}` === 'api/device' && method === 'POST') return this.#device(kind, body);
    if (`${root}/${version}` !== 'api/v1') return null;
    if (kind === 'warehouseTasks') return this.#task(method, id, operation, query, body);
    if (kind === 'coils') return this.#coil(method, id, operation, query, body);
    if (kind === 'orders') return this.#order(method, id, body);
    if (kind === 'profiles') return this.#profile(method, id, query, body);
    if (kind === 'catalogs' && method === 'GET') return { status: 200, body: this.catalogs };
    return null;
  }

  #now(): string {
    return new Date(this.wallMs()).toISOString();
  }

  #device(kind: string, body: Fields): Answer | null {
    const machineId = String(body.machineId);
    if (kind === 'vars') {
      this.variables.push({ machineId, body });
      return DONE;
    }
    if (kind !== 'status') return null;
    this.statuses.push({ machineId, body });
    return { status: 200, body: { machineId, ...this.command, timestamp: this.#now() } };
  }

  #task(
    method: string,
    id: string | undefined,
    operation: string | undefined,
    query: Query,
    body: Fields,
  ): Answer | null {
    if (method === 'GET' && id === undefined) {
      const open = query.get('onlyIncomplete') === 'true';
      const tasks = [...this.tasks.values()].filter(({ taskState }) => !open || taskState !== 'Complete');
      return { status: 200, body: pageOf(tasks, query) };
    }
    if (method === 'GET' && id === 'reasonCodes') return { status: 200, body: this.reasonCodes };
    if (method === 'GET' && id === 'locations') return { status: 200, body: this.locations };
    const task = id === undefined ? undefined : this.tasks.get(id);
    if (task === undefined) return refused(404, `No warehouse task with id ${id}`);
    if (method === 'GET' && operation === undefined) return { status: 200, body: task };
    return method === 'POST' && operation !== undefined ? this.#operate(task, operation, body) : null;
  }

  #operate(task: Fields, operation: string, body: Fields): Answer {
    const from = SOURCE_STATES[operation];
    if (from === undefined) return refused(404, `No operation ${operation}`);
    const state = String(task.taskState);
    if (!from.includes(state)) return refused(400, `taskState: found ${state}, expected ${from.join(', ')}`);
    const userName = body.userName ?? task.userName ?? 'central';
    if (operation === 'ready') Object.assign(task, { taskState: 'Ready', userName: null, startedDate: null });
    if (operation === 'inProcess') Object.assign(task, { taskState: 'InProcess', userName });
    if (operation === 'inTransit') {
      Object.assign(task, { taskState: 'InTransit', userName, selectedCoilId: body.coilId });
      if (body.overrideReason !== undefined) task.overrideReason = body.overrideReason;
    }
    if (operation === 'unattainable') Object.assign(task, { unattainableReason: body.unattainableCode, userName });
    if (operation === 'complete') {
      this.#put(String(task.selectedCoilId), body.location);
      Object.assign(task, { taskState: 'Complete', userName });
    }
    if (operation === 'cancel') {
      this.#put(String(body.coilId), body.location);
      Object.assign(task, { taskState: 'Ready', selectedCoilId: null, overrideReason: null, userName: null });
    }
    return ACCEPTED;
  }

  #put(coilId: string, location: unknown): void {
    const coil = this.coils.get(coilId);
    if (coil !== undefined) coil.location = location;
  }

  #coil(
    method: string,
    id: string | undefined,
    operation: string | undefined,
    query: Query,
    body: Fields,
  ): Answer | null {
    if (method === 'GET' && id === undefined) {
      const all = query.get('includeComplete') === 'true';
      return {
        status: 200,
        body: pageOf(
          [...this.coils.values()].filter(({ isComplete }) => all || isComplete !== true),
          query,
        ),
      };
    }
    const coil = id === undefined ? undefined : this.coils.get(id);
    if (coil === undefined) return refused(404, `No coil with id ${id}`);
    if (method === 'GET' && operation === undefined) return { status: 200, body: coil };
    if (method !== 'POST' || operation !== 'location') return null;
    coil.location = body.location;
    return DONE;
  }

  #order(method: string, id: string | undefined, body: Fields): Answer | null {
    if (method === 'POST' && id === 'add') {
      const key = String(body.documentID ?? body.orderCode);
      this.orders.set(key, body);
      return { status: 200, body: `- orderCode: ${JSON.stringify(body.orderCode ?? null)}\n` };
    }
    if (method === 'GET' && id === this.summaryPath) {
      const rows = [...this.orders.values()].map(this.summaryRow);
      return { status: 200, body: rows.length === 0 ? '[]\n' : rows.join('') };
    }
    if (method !== 'DELETE' || id === undefined) return null;
    const found = this.orders.has(id) ? id : [...this.orders].find(([, order]) => order.orderCode === id)?.[0];
    if (found === undefined) return { status: 404, body: { code: '404', message: 'Not Found' } };
    this.orders.delete(found);
    return { status: 200, body: '[]\n' };
  }

  #profile(method: string, id: string | undefined, query: Query, body: Fields): Answer | null {
    if (method === 'GET' && id === undefined) {
      const listed = [...this.profiles.values()].filter(({ archived }) => archived !== true);
      return { status: 200, body: this.profilesAtOnce === null ? listed : pageOf(listed, query, this.profilesAtOnce) };
    }
    if (method === 'POST' && id === undefined) {
      const profileId = randomUUID();
      const now = this.#now();
      const stamps = { createdBy: 'gateway', createdDate: now, editedBy: 'gateway', editedDate: now };
      const profile = { owningCatalogId: 1, ...body, profileId, revision: 1, archived: false, ...stamps };
      this.profiles.set(profileId, profile);
      return { status: 200, body: profile };
    }
    const profile = id === undefined ? undefined : this.profiles.get(id);
    if (profile === undefined || id === undefined) return { status: 404, body: [`No profile with id ${id}`] };
    if (method === 'GET') return { status: 200, body: profile };
    if (method === 'PUT') {
      const next = { ...profile, ...body, profileId: id, revision: Number(profile.revision) + 1 };
      this.profiles.set(id, next);
      return { status: 200, body: next };
    }
    if (method !== 'DELETE') return null;
    profile.archived = true;
    return { status: 204, body: null };
  }
}

function pageOf(items: readonly Fields[], query: Query, most = Number.POSITIVE_INFINITY): readonly Fields[] {
  const skip = Number(query.get('skip') ?? 0);
  return items.slice(skip, skip + Math.min(most, Number(query.get('take') ?? 100)));
}
