import type { SealedPlan, SealedRecord, TargetPlan } from '../../domain/fleet/plan/fleet-plan.ts';
import { PLAN_KINDS, type PlanKind, type PlanRecordName, planRecordId } from '../../domain/fleet/plan/fleet-plan.ts';
import { toldFields } from '../../domain/fleet/plan/plan-difference.ts';
import type { PlanDeviation } from '../../domain/fleet/plan/plan-report.ts';
import { unsealed } from '../../domain/fleet/plan/sealed-record.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import { EMPTY_PLANT, type PlantEntries, type PlantFile, type PlantRecords } from '../../domain/plant/plant-entry.ts';
import { changedFields, mergedRecord } from '../../domain/plant/plant-merge.ts';
import { referrersOf } from '../../domain/plant/plant-references.ts';
import { type SlicedWork, visit } from '../../domain/sliced-work.ts';
import type { PlantState } from '../plant/plant-state.ts';

/** What this gateway remembers of the plan that it has applied. */
export interface PlanMemory {
  readonly groupId: string;
  readonly version: number;
  /** Wall-clock milliseconds. */
  readonly at: number;
  readonly plan: SealedPlan;
  /** Records that are here only because of the plan: they go when it leaves them out. */
  readonly brought: readonly PlanRecordName[];
}

/** The work that a plan is at this plant. */
export interface PlanWork {
  /** The records to add and change; secrets are hashes. */
  readonly file: PlantFile;
  readonly gone: readonly PlanRecordName[];
  readonly brought: readonly PlanRecordName[];
  readonly deviations: readonly PlanDeviation[];
}

interface OpenWork {
  readonly lists: { readonly [Kind in PlanKind]: PlantEntries[Kind][] };
  readonly gone: PlanRecordName[];
  readonly brought: PlanRecordName[];
  readonly deviations: PlanDeviation[];
}

/**
 * Compares a plan with the plant. A record was edited here if the plan that was applied last would change it again; it
 * stays as it is, unless the new plan overwrites (D-106). With the version that was applied last the deviations alone
 * count.
 */
export function* planWork(
  state: PlantState,
  memory: PlanMemory | null,
  { plan, overwrite }: Pick<TargetPlan, 'plan' | 'overwrite'>,
): SlicedWork<PlanWork> {
  const work: OpenWork = {
    lists: { machines: [], parts: [], downtimeReasons: [], apiKeys: [], users: [] },
    gone: [],
    brought: [],
    deviations: [],
  };
  const brought = new Set(memory?.brought.map(keyOf));
  for (const kind of PLAN_KINDS) {
    const former = new Map(memory?.plan[kind].map((record) => [planRecordId(kind, record), record]));
    yield* visit<SealedRecord>(plan[kind], (record) =>
      addRecord(work, kind, record, { state, former, brought, overwrite }),
    );
    yield* removeLeftOut(work, kind, plan, { state, former, memory, overwrite });
  }
  const { lists, ...rest } = work;
  return { ...rest, file: { ...EMPTY_PLANT, ...lists } };
}

interface Around {
  readonly state: PlantState;
  /** Records of this kind of the plan that was applied last. */
  readonly former: ReadonlyMap<string, SealedRecord>;
  readonly overwrite: boolean;
}

function addRecord<Kind extends PlanKind>(
  work: OpenWork,
  kind: Kind,
  record: SealedRecord,
  { state, former, brought, overwrite }: Around & { readonly brought: ReadonlySet<string> },
): void {
  const id = planRecordId(kind, record);
  const current = state.find(kind, id);
  const name = { kind, id };
  const entry = entryOf(kind, record, state);
  if (entry === null) {
    work.deviations.push({ ...name, why: 'absent', fields: [] });
    return;
  }
  const before = former.get(id);
  const isBrought = brought.has(keyOf(name)) || (before === undefined && current === undefined);
  if (isBrought) work.brought.push(name);
  if (!overwrite && before !== undefined && isEdited(kind, before, state)) {
    const fields = toldFields(kind, changesOf(kind, entry, current));
    if (current === undefined) work.deviations.push({ ...name, why: 'removed', fields: [] });
    else if (fields.length > 0) work.deviations.push({ ...name, why: 'edited', fields });
    return;
  }
  work.lists[kind].push(entry);
}

/** Records that the plan had brought and leaves out go, unless they were edited here or something refers to them. */
function* removeLeftOut(
  work: OpenWork,
  kind: PlanKind,
  plan: SealedPlan,
  { state, former, memory, overwrite }: Around & { readonly memory: PlanMemory | null },
): SlicedWork<void> {
  const named = new Set(plan[kind].map((record) => planRecordId(kind, record)));
  yield* visit(memory?.brought ?? [], (name) => {
    const { id } = name;
    if (name.kind !== kind || named.has(id) || state.find(kind, id) === undefined) return;
    const before = former.get(id);
    const stays = !overwrite && (before === undefined || isEdited(kind, before, state));
    if (!stays && referrersOf(state.contents, kind, id, 1).length === 0) {
      work.gone.push(name);
      return;
    }
    // It stays the plan's, so that a later version that names it again, or overwrites, finds it.
    work.brought.push(name);
    work.deviations.push({ ...name, why: 'kept', fields: [] });
  });
}

/**
 * The plant file of a gateway beside a plan that was applied: records that are as the plan says stay so (D-106). A record
 * that was edited since is the file's again.
 */
export function* besidePlan(
  file: PlantFile,
  { plan }: Pick<PlanMemory, 'plan'>,
  state: PlantState,
): SlicedWork<PlantFile> {
  return {
    ...file,
    machines: yield* entriesBeside('machines', file, plan, state),
    parts: yield* entriesBeside('parts', file, plan, state),
    downtimeReasons: yield* entriesBeside('downtimeReasons', file, plan, state),
    apiKeys: yield* entriesBeside('apiKeys', file, plan, state),
    users: yield* entriesBeside('users', file, plan, state),
  };
}

function* entriesBeside<Kind extends PlanKind>(
  kind: Kind,
  file: PlantFile,
  plan: SealedPlan,
  state: PlantState,
): SlicedWork<readonly PlantEntries[Kind][]> {
  const { id: idOf } = PLANT_CODECS[kind];
  const planned = new Map(plan[kind].map((record) => [planRecordId(kind, record), record]));
  const entries: PlantEntries[Kind][] = [];
  yield* visit<PlantEntries[Kind]>(file[kind], (entry) => {
    const record = planned.get(idOf(entry));
    const ofPlan = record === undefined || isEdited(kind, record, state) ? null : entryOf(kind, record, state);
    if (ofPlan === null) entries.push(entry);
    // A secret of the file would replace that of the plan. Of machines and parts a plan names some fields.
    else if (kind !== 'apiKeys' && kind !== 'users') entries.push({ ...entry, ...ofPlan, ...ownFields(entry) });
  });
  return entries;
}

/** No plan names the topics of a machine. */
function ownFields(entry: object): object {
  return 'topicRoot' in entry ? { topicRoot: entry.topicRoot } : {};
}

function isEdited(kind: PlanKind, before: SealedRecord, state: PlantState): boolean {
  const entry = entryOf(kind, before, state);
  return entry !== null && changesOf(kind, entry, state.find(kind, planRecordId(kind, before))).length > 0;
}

/** The fields that an entry would change. */
function changesOf<Kind extends PlanKind>(
  kind: Kind,
  entry: PlantEntries[Kind],
  current: PlantRecords[Kind] | undefined,
): readonly string[] {
  let after = mergedRecord(kind, entry, current);
  for (const slot of PLANT_CODECS[kind].secrets) {
    const hash = slot.given(entry);
    if (hash !== undefined) after = slot.withHash(after, hash);
  }
  return changedFields(current, after);
}

/** The record as an entry for this plant; null for a machine that it does not have. */
function entryOf<Kind extends PlanKind>(
  kind: Kind,
  record: SealedRecord,
  state: PlantState,
): PlantEntries[Kind] | null {
  const read = READERS[kind];
  return read(unsealed(kind, record), state);
}

/** The shapes of received records were checked (`SEALED_SHAPES`), and those of stored ones were before. */
const READERS: {
  readonly [Kind in PlanKind]: (entry: SealedRecord, state: PlantState) => PlantEntries[Kind] | null;
} = {
  machines: (entry, state) => {
    const present = state.find('machines', planRecordId('machines', entry));
    if (present === undefined) return null;
    const { machineId, topicRoot } = present;
    return { ...(entry as Partial<PlantEntries['machines']>), machineId, topicRoot };
  },
  parts: (entry, state) => {
    const part = entry as unknown as PlantEntries['parts'];
    const { machineRates } = part;
    if (machineRates === undefined) return part;
    // A group has machines of several plants; a rate at a machine of another one means nothing here.
    const own = machineRates.filter(({ machineId }) => state.find('machines', machineId) !== undefined);
    return { ...part, machineRates: own };
  },
  downtimeReasons: (entry) => entry as unknown as PlantEntries['downtimeReasons'],
  apiKeys: (entry) => entry as unknown as PlantEntries['apiKeys'],
  users: (entry) => entry as unknown as PlantEntries['users'],
};

function keyOf({ kind, id }: PlanRecordName): string {
  return `${kind} ${id}`;
}
