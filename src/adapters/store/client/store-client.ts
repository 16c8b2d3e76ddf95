import type { StoreQueries } from '../../../flows/store-ports.ts';
import type { QuestionName, Questions } from '../protocol.ts';

/** The store thread as the main thread calls it: each question of the protocol is a method. */
export type StoreClient = {
  readonly [K in QuestionName]: (...args: Questions[K]['ask']) => Promise<Questions[K]['answer']>;
};

/**
 * Whether the answer of a question must contain the records up to now, so that those are sent first. The other
 * questions are about acknowledged records, which are on disk.
 */
export const NEEDS_RECORDS: Readonly<Record<QuestionName, boolean>> = {
  auditPage: true,
  auditText: true,
  downtimes: true,
  downtimesOf: true,
  reasonCounts: true,
  downtime: true,
  shifts: true,
  spans: true,
  workSessions: true,
  quarters: true,
  overrides: true,
  selectedParts: true,
  anomalies: true,
  activityTotals: true,
  variablePoints: true,
  variableBuckets: true,
  newestPoints: true,
  readOrder: false,
  orderKeys: false,
  orderText: false,
  changes: false,
  orderSummary: false,
  orderSummaryOf: false,
  findOrders: false,
  seedOrders: false,
  orderRecords: false,
  profile: false,
  profileRecords: false,
  profilesIn: false,
  profileText: false,
  profileList: false,
  profileChanges: false,
  task: false,
  coil: false,
  idsInAnyCase: false,
  taskList: false,
  coilList: false,
  coilSearch: false,
  openLegacyWrites: false,
  requestMemory: false,
  seedChanges: false,
  warehouseCounts: false,
  coilsOf: false,
  warehouseReferrers: false,
  warehouseRecords: false,
  outgoingBatch: false,
  queueHeads: false,
  pointsPage: false,
  isQueued: false,
  queueTotals: false,
  setAsideRows: false,
  sendMemory: false,
  queueRows: false,
  readBatch: false,
  judgeBatch: false,
  batchOperations: false,
  applyBatch: false,
  dropBatch: false,
  receivedGateways: false,
  receivedMachines: false,
  receivedMachine: false,
  isIn: false,
  profilePage: false,
  mirrorBegin: false,
  mirrorPage: false,
  mirrorApply: false,
  mirrorUnlisted: false,
  mirrorRecord: false,
  mirrorList: false,
  mirrorListTaken: false,
  mirrorProfilePage: false,
  mirrorNextProfiles: false,
  mirrorProfileName: false,
  mirrorProfile: false,
  mirrorEndProfiles: false,
  mirrorOrders: false,
  mirrorNote: false,
  mirrorAges: false,
  backUp: true,
  retain: false,
};

type AskAny = (question: QuestionName, ...args: readonly never[]) => Promise<unknown>;

/** A client that puts each call to `ask`. */
export function storeClient(
  ask: <K extends QuestionName>(question: K, ...args: Questions[K]['ask']) => Promise<Questions[K]['answer']>,
): StoreClient {
  const askAny = ask as AskAny;
  const methods = Object.keys(NEEDS_RECORDS).map((name) => {
    const question = name as QuestionName;
    return [question, (...args: readonly never[]) => askAny(question, ...args)];
  });
  // Each method has the arguments and the answer that `Questions` gives its name.
  return Object.fromEntries(methods) as StoreClient;
}

/** The client as flows know it. */
export function storeQueries({ retain: _, backUp: __, ...client }: StoreClient, wallMs: () => number): StoreQueries {
  return {
    ...client,
    async variablePoints(machineId, name, range) {
      const { at, value, truncated } = await client.variablePoints(machineId, name, range);
      const points: { at: number; value: number }[] = [];
      for (let index = 0; index < at.length; index += 1) {
        points.push({ at: at[index] ?? 0, value: value[index] ?? Number.NaN });
      }
      return { points, truncated };
    },
    /** A span that lasts counts up to now. */
    activityTotals: (machineId, { from, to }) => client.activityTotals(machineId, { from, to: Math.min(to, wallMs()) }),
  };
}
