import type { Answered, QuestionName, StoreQuestions } from './protocol.ts';
import type { StoreCore } from './thread/store-core.ts';

type Answer<Name extends QuestionName> = (
  store: StoreCore,
  ...args: Parameters<StoreQuestions[Name]>
) => Answered<Name> | Promise<Answered<Name>>;

/**
 * With `afterRecords` the answer must contain the records up to now, so those are sent first. Other questions are about
 * acknowledged records, which are on disk.
 */
type Question<Name extends QuestionName> = Answer<Name> | { readonly afterRecords: Answer<Name> };

/**
 * The answer to each question, given in the store thread. The main thread reads the names here, so this file must not
 * load the store.
 */
export const questions: { readonly [Name in QuestionName]: Question<Name> } = {
  alertMemory: ({ alerts }) => alerts.memory(),
  pastAlerts: ({ alerts }, since, before, take) => alerts.past(since, before, take),
  alertCounts: ({ alerts }, since) => alerts.counts(since),
  alertCauseCounts: ({ alerts }, since) => alerts.causeCounts(since),
  auditPage: { afterRecords: ({ audit }, query) => audit.page(query) },
  auditText: { afterRecords: ({ audit }, query) => audit.text(query) },
  downtimes: { afterRecords: ({ history }, machineId, filter) => history.downtimes(machineId, filter) },
  longestDowntimes: { afterRecords: ({ history }, search) => history.longestDowntimes(search) },
  downtimesOf: { afterRecords: ({ history }, search) => history.downtimesOf(search) },
  reasonCounts: { afterRecords: ({ history }, machineId, since) => history.reasonCounts(machineId, since) },
  downtime: { afterRecords: ({ history }, downtimeId) => history.downtime(downtimeId) },
  shifts: { afterRecords: ({ history }, machineId, shiftDate) => history.shifts(machineId, shiftDate) },
  spans: { afterRecords: ({ history }, machineId, range) => history.spans(machineId, range) },
  workSessions: { afterRecords: ({ history }, machineId, limit) => history.workSessions(machineId, limit) },
  quarters: {
    afterRecords: ({ machineHistory }, machineId, date) => machineHistory.production.quarters(machineId, date),
  },
  productionSums: { afterRecords: ({ production }, by, scope) => production.sums(by, scope) },
  productionWork: { afterRecords: ({ production }, by, scope) => production.work(by, scope) },
  productionStops: { afterRecords: ({ production }, by, scope) => production.stops(by, scope) },
  stopLog: { afterRecords: ({ stopLog }, scope) => stopLog.read(scope) },
  summariseShifts: { afterRecords: ({ production }, scope) => production.summarise(scope) },
  selectedParts: { afterRecords: ({ machineHistory }, machineId) => machineHistory.selectedParts(machineId) },
  overrides: { afterRecords: ({ machineHistory }, machineId, range) => machineHistory.overrides(machineId, range) },
  anomalies: { afterRecords: ({ history }, machineId, limit) => history.anomalies(machineId, limit) },
  activityMs: { afterRecords: ({ history }, machineId, range) => history.activityTotals(machineId, range) },
  variableColumns: {
    afterRecords: ({ variables }, machineId, name, range) => variables.points(machineId, name, range),
  },
  variableBuckets: {
    afterRecords: ({ variables }, machineId, name, range, count) => variables.buckets(machineId, name, range, count),
  },
  newestPoints: {
    afterRecords: ({ variables }, machineId, names) => names.map((name) => variables.newest(machineId, name)),
  },
  copyInto: { afterRecords: ({ backUp }, file) => backUp(file) },
  journalPosition: { afterRecords: ({ journal }) => journal.position() },
  isUsed: { afterRecords: ({ journal }) => journal.isUsed() },
  deleteOld: ({ retention }, nowWallMs, uptimeMs) => retention.run(nowWallMs, uptimeMs),

  readOrder: ({ orders }, text) => orders.read(text),
  orderKeys: ({ orders }, ordId) => orders.keys(ordId),
  orderText: ({ orders }, orderKey) => orders.text(orderKey),
  orderSummary: ({ orders }, filter) => orders.summary(filter),
  orderSummaryOf: ({ orders }, orderKey) => orders.summaryOf(orderKey),
  findOrders: { afterRecords: ({ orderSearches }, search, moment) => orderSearches.find(search, moment) },
  orderItems: {
    afterRecords: ({ orderSearches }, orderKey, skip, take, moment) =>
      orderSearches.items(orderKey, skip, take, moment),
  },
  seedOrders: ({ orderSeeds }, texts) => orderSeeds.changes(texts),
  orderRecords: ({ orderSeeds }, after, limit) => orderSeeds.records(after, limit),
  requestMemory: ({ requests }, request) => requests.recall(request),
  profile: ({ profiles }, profileId) => profiles.profile(profileId),
  profileRecords: ({ profiles }, after, limit) => profiles.records(after, limit),
  profilesIn: ({ profiles }, catalogId, limit) => profiles.idsIn(catalogId, limit),
  profileText: ({ profiles }, profileId) => profiles.text(profileId),
  profileList: ({ profiles }, filter) => profiles.list(filter),
  profileSearch: ({ profiles }, search) => profiles.search(search),
  profileChanges: ({ deliveries }, cursor, subscriber) => deliveries.changes(cursor, subscriber),

  changes: ({ warehouse }, after, take, machineIds) => warehouse.changeFeed.page(after, take, machineIds),
  task: ({ warehouse }, taskId) => warehouse.tasks.find(taskId),
  coil: ({ warehouse }, coilId) => warehouse.coils.find(coilId),
  taskList: ({ warehouse }, filter) => warehouse.taskQueries.list(filter),
  coilList: ({ warehouse }, filter) => warehouse.coilQueries.list(filter),
  coilSearch: ({ warehouse }, search) => warehouse.coilQueries.search(search),
  openLegacyWrites: ({ warehouse }) => warehouse.legacyWrites.open(),
  coilsOf: ({ warehouse }, coilIds) => coilIds.flatMap((coilId) => warehouse.coils.find(coilId) ?? []),
  warehouseCounts: ({ warehouse }) => ({ coils: warehouse.coils.count(), tasks: warehouse.tasks.count() }),
  seedChanges: ({ plant }, seeds) => plant.seedChanges(seeds),
  idsInAnyCase: ({ plant }, id, limit) => plant.idsInAnyCase(id, limit),
  warehouseReferrers: ({ plant }, target, id, limit) => plant.referrers(target, id, limit),
  warehouseRecords: ({ plant }, of, after, limit) => plant.records(of, after, limit),

  outgoingBatch: ({ forwarding }) => forwarding.batches.next(),
  queueHeads: ({ forwarding }, except, limit) => forwarding.entityQueues.list(except, limit),
  pointsPage: ({ forwarding }, shiftDate, limit) => forwarding.points.page(shiftDate, limit),
  isQueued: ({ forwarding }, entity) => forwarding.entityQueues.isQueued(entity),
  queueTotals: ({ forwarding }, server) => forwarding.totals.of(server),
  setAsideRows: ({ forwarding: { setAside } }, limit, after) =>
    after === undefined ? setAside.newest(limit) : setAside.page(after, limit),
  sendMemory: ({ forwarding }, seq, profileId) => forwarding.memories.of(seq, profileId),
  queueRows: ({ forwarding }, after, limit) => forwarding.listing.page(after, limit),
  isIn: ({ forwarding }, bytes, expected) => forwarding.settling.isIn(bytes, expected),
  profilePage: ({ forwarding }, bytes, sent, from) => forwarding.settling.profilePage(bytes, sent, from),

  readBatch: ({ received }, body) => received.receiver.read(body),
  judgeBatch: ({ received }, ticket) => received.receiver.judge(ticket),
  batchOperations: ({ received }, ticket, after) => received.receiver.operationPage(ticket, after),
  knownOperations: ({ received }, ids) => received.knownOperations(ids),
  applyBatch: ({ received }, ticket, terms) => received.receiver.apply(ticket, terms),
  dropBatch: ({ received }, ticket) => received.receiver.drop(ticket),
  receivedGateways: ({ received }) => received.queries.gateways(),
  receivedMachines: ({ received }, page) => received.queries.machines(page),
  changedMachines: ({ received }, after, take) => received.changed.some(after, take),
  machineRecords: ({ received }, machineIds, range) => received.records.read(machineIds, range),
  putShiftFigures: ({ received }, added) => received.figures.put(added),
  noteChangedPlan: ({ received }, gatewayId, sinceDate) => received.changed.notePlan(gatewayId, sinceDate),
  fleetSums: ({ received }, by, scope) => received.figures.sums(by, scope),
  fleetStops: ({ received }, by, scope) => received.figures.stops(by, scope),
  fleetReasons: ({ received }, scope) => received.figures.reasons(scope),
  fleetWork: ({ received }, by, scope) => received.figures.work(by, scope),
  fleetTotals: ({ received }, gatewayId, shiftDate) => received.figures.totals(gatewayId, shiftDate),
  toldPlants: ({ received }) => received.queries.toldPlants(),
  toldPlant: ({ received }, gatewayId) => received.queries.toldPlant(gatewayId),
  receivedMachine: ({ received }, gatewayId, machineId) => received.queries.machine(gatewayId, machineId),

  gatewayGroups: ({ groups }) => groups.plans.groups(),
  planTarget: ({ groups }, gatewayId) => groups.plans.target(gatewayId),
  planVersions: ({ groups }, groupId) => groups.plans.versions(groupId),
  planVersion: ({ groups }, groupId, version) => groups.plans.version(groupId, version),
  appliedPlan: ({ groups }) => groups.plans.applied(),
  rollOuts: ({ groups }) => groups.updates.rollOuts(),
  releases: ({ groups }, updateId) => groups.updates.releases(updateId),
  releasedUpdate: ({ groups }, gatewayId) => groups.updates.released(gatewayId),
  takenUpdate: ({ groups }) => groups.updates.taken(),

  mirrorBegin: ({ mirror }, kind, scope) => mirror.begin(kind, scope),
  mirrorPage: ({ mirror }, kind, bytes, machines) => mirror.tables[kind].page(bytes, machines),
  mirrorApply: ({ mirror }, kind, at, isComplete) => mirror.tables[kind].apply(at, isComplete),
  mirrorUnlisted: async ({ mirror, warehouse }, limit) =>
    mirror.tables.tasks.unread(await warehouse.taskQueries.incompleteIds(), limit),
  mirrorRecord: ({ mirror }, kind, id, bytes, machines) => mirror.tables[kind].one(id, bytes, machines),
  mirrorList: ({ mirror }, kind, bytes) => mirror.lists.read(kind, bytes),
  mirrorListTaken: ({ mirror }, kind) => mirror.lists.taken(kind),
  mirrorProfilePage: ({ mirror }, bytes) => mirror.profiles.page(bytes),
  mirrorNextProfiles: ({ mirror }) => mirror.profiles.next(),
  mirrorProfileName: ({ mirror }, profileId) => mirror.profiles.nameOf(profileId),
  mirrorProfile: ({ mirror }, bytes) => mirror.profiles.one(bytes),
  mirrorEndProfiles: ({ mirror }, at) => mirror.profiles.archiveGone(at),
  mirrorOrders: ({ mirror }, bytes, at) => mirror.orders.read(bytes, at),
  mirrorNote: ({ mirror }, kind, at) => mirror.staged.note(kind, at),
  mirrorAges: ({ mirror }) => mirror.staged.ages(),
};

/** Whether the records up to now are sent before the question. */
export function isAskedAfterRecords(name: QuestionName): boolean {
  return typeof questions[name] !== 'function';
}

/** Answers a question as it came from the main thread. */
export async function answer(store: StoreCore, name: QuestionName, args: readonly unknown[]): Promise<unknown> {
  const question = questions[name];
  // The main thread asks through the methods of StoreQuestions, which give each question its arguments.
  const reply = (typeof question === 'function' ? question : question.afterRecords) as (
    store: StoreCore,
    ...args: readonly unknown[]
  ) => unknown;
  return await reply(store, ...args);
}
