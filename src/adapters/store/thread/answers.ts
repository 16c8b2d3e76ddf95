import type { QuestionName, Questions } from '../protocol.ts';
import { backUp } from './database/back-up.ts';
import { forwardingAnswers } from './forwarding/forwarding-answers.ts';
import { mirrorAnswers } from './mirror/mirror-answers.ts';
import { settleAnswers } from './settle-answers.ts';
import type { StoreCore } from './store-core.ts';
import { plantAnswers } from './warehouse/plant-answers.ts';

type Answers = {
  readonly [K in QuestionName]: (
    ...args: Questions[K]['ask']
  ) => Questions[K]['answer'] | Promise<Questions[K]['answer']>;
};

/** The handler of each question. */
export function answers({
  connection,
  audit,
  history,
  machineHistory,
  variables,
  retention,
  orders,
  orderSeeds,
  profiles,
  deliveries,
  warehouse,
  forwarding,
  received,
  mirror,
  requests,
}: StoreCore): Answers {
  const { tasks, coils, taskQueries, coilQueries, legacyWrites, changeFeed } = warehouse;
  return {
    auditPage: (query) => audit.page(query),
    auditText: (query) => audit.text(query),
    downtimes: (machineId, filter) => history.downtimes(machineId, filter),
    downtimesOf: (search) => history.downtimesOf(search),
    reasonCounts: (machineId, since) => history.reasonCounts(machineId, since),
    downtime: (downtimeId) => history.downtime(downtimeId),
    shifts: (machineId, shiftDate) => history.shifts(machineId, shiftDate),
    spans: (machineId, range) => history.spans(machineId, range),
    workSessions: (machineId, limit) => history.workSessions(machineId, limit),
    quarters: (machineId, shiftDate) => machineHistory.production.quarters(machineId, shiftDate),
    selectedParts: (machineId) => machineHistory.selectedParts(machineId),
    overrides: (machineId, range) => machineHistory.overrides(machineId, range),
    anomalies: (machineId, limit) => history.anomalies(machineId, limit),
    activityTotals: (machineId, range) => history.activityTotals(machineId, range),
    variablePoints: (machineId, name, range) => variables.points(machineId, name, range),
    variableBuckets: (machineId, name, range, buckets) => variables.buckets(machineId, name, range, buckets),
    newestPoints: (machineId, names) => names.map((name) => variables.newest(machineId, name)),
    readOrder: (text) => orders.read(text),
    orderKeys: (ordId) => orders.keys(ordId),
    changes: (after, take, machineIds) => changeFeed.page(after, take, machineIds),
    orderText: (orderKey) => orders.text(orderKey),
    orderSummary: (filter) => orders.summary(filter),
    orderSummaryOf: (orderKey) => orders.summaryOf(orderKey),
    findOrders: (search) => orders.find(search),
    profile: (profileId) => profiles.profile(profileId),
    seedOrders: (texts) => orderSeeds.changes(texts),
    orderRecords: (after, limit) => orderSeeds.records(after, limit),
    profileRecords: (after, limit) => profiles.records(after, limit),
    profilesIn: (catalogId, limit) => profiles.idsIn(catalogId, limit),
    profileText: (profileId) => profiles.text(profileId),
    profileList: (filter) => profiles.list(filter),
    profileChanges: (cursor, subscriber) => deliveries.changes(cursor, subscriber),
    task: (taskId) => tasks.find(taskId),
    coil: (coilId) => coils.find(coilId),
    taskList: (filter) => taskQueries.list(filter),
    coilList: (filter) => coilQueries.list(filter),
    coilSearch: (search) => coilQueries.search(search),
    openLegacyWrites: () => legacyWrites.open(),
    requestMemory: (request) => requests.recall(request),
    ...plantAnswers(warehouse),
    ...forwardingAnswers(forwarding),
    ...received,
    ...settleAnswers(forwarding.upstreamNames),
    ...mirrorAnswers(mirror, warehouse.taskQueries),
    backUp: async (file) => {
      await backUp(connection, file);
      return undefined;
    },
    retain: (nowWallMs, uptimeMs) => retention.run(nowWallMs, uptimeMs),
  };
}

/** Answers one question as it came over the wire. */
export async function answer(table: Answers, question: QuestionName, args: readonly unknown[]): Promise<unknown> {
  // The main thread asks through `OpenQuestions.ask`, which gives each question the arguments of `Questions`.
  const reply = table[question] as (...args: readonly unknown[]) => unknown;
  return await reply(...args);
}
