import fc from 'fast-check';
import {
  CODE_SETS,
  LOCATION_CATEGORIES,
  MACHINE_STANDINGS,
  TASK_STATES,
  TASK_TYPES,
} from '../src/domain/plant/plant.ts';

/**
 * Plants in the form of a plant file, without keys and people: every text that a field may have, optional fields given or
 * not, and every reference to an existing record.
 */

const isPrintable = (value: string) =>
  value.isWellFormed() && [...value].every((character) => character >= ' ' && character !== '\u007f');
/** Words that YAML could take for another type, and characters that YAML treats specially. */
const TRICKY = fc.constantFrom(
  ...'null;~;true;no;1e3;0x1F;-;- a;? a;a: b;# a;a #b;&a;*a;!a;%a;@a;`a;|;>;";\';"";it\'s;[a];{a};a,b;=;0o7;1_000'.split(
    ';',
  ),
  ...'2026-03-04;2026-03-04T08:00:00;.inf;<<;---;...;\ufeffa;a\u2028b;a\u0085b;a\u00a0b;é;日本;𝔘;a\\nb;a\\'.split(';'),
  'x'.repeat(120),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  TRICKY,
);
const words = text.filter(isPrintable);
const name = words.filter((value) => value !== '');
/** A client removes such dots from a path. */
const DOTS: ReadonlySet<string> = new Set(['.', '..']);
const id = name.filter((value) => value.trim() === value && value.length <= 128 && !DOTS.has(value));
const bareId = id.filter((value) => !value.includes('/'));
const plainId = fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/);
const amount = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.integer({ min: 0, max: 9_999 }));
const gauge = fc.integer({ min: 0, max: 100 });
const instant = fc
  .date({ min: new Date(0), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

function records<T>(key: keyof T & string, record: fc.Arbitrary<T>) {
  return fc.uniqueArray(record, { selector: (one) => one[key], maxLength: 4 });
}

const coilFields = {
  coilId: id,
  materialCode: orNull(words),
  description: orNull(words),
  gauge: orNull(gauge),
  widthIn: orNull(amount),
  lengthRemainingFt: orNull(amount),
  isComplete: fc.boolean(),
  dateIn: orNull(instant.map((at) => at.slice(0, 19))),
};

const taskFields = {
  taskId: bareId,
  taskType: fc.constantFrom(...TASK_TYPES),
  taskState: fc.constantFrom(...TASK_STATES),
  coilType: fc.record({
    coilTypeCode: plainId,
    materialType: words,
    color: words,
    gauge,
    widthIn: amount,
    lbsPerFt: amount,
  }),
  requiredFt: amount,
  requiredDate: instant,
  startedDate: orNull(instant),
  preferredCoilIds: fc.uniqueArray(plainId, { maxLength: 3 }),
  userName: orNull(name),
};

const parts = {
  catalogs: records('catalogId', fc.record({ catalogId: fc.integer({ min: 1, max: 99 }), name })),
  locations: records('code', fc.record({ code: bareId, name, category: fc.constantFrom(...LOCATION_CATEGORIES) })),
  machines: records(
    'machineId',
    fc.record(
      {
        machineId: plainId,
        name,
        serialNumber: fc.constant(null),
        claims: fc.uniqueArray(id, { maxLength: 3 }),
        variables: fc.uniqueArray(id, { maxLength: 3 }),
        state: fc.constantFrom(...MACHINE_STANDINGS),
      },
      { requiredKeys: ['machineId'] },
    ),
  ),
  parts: records(
    'partId',
    fc.record({ partId: id, partName: name, isNew: fc.boolean() }, { requiredKeys: ['partId'] }),
  ),
  downtimeReasons: records('id', fc.record({ id, reason: name, group: words }, { requiredKeys: ['id', 'reason'] })),
  reasonCodes: records('id', fc.record({ id, codeSet: fc.constantFrom(...CODE_SETS), reason: name })),
  coils: records('coilId', fc.record(coilFields, { requiredKeys: ['coilId'] })),
  tasks: records(
    'taskId',
    fc.record(taskFields, {
      requiredKeys: ['taskId', 'taskType', 'coilType', 'requiredFt', 'requiredDate', 'preferredCoilIds'],
    }),
  ),
};

const dimension = fc.double({ min: 0.001, max: 999, noNaN: true });
const straight = fc.record({ type: fc.constant('Straight'), length: dimension });
const bend = fc.oneof(
  fc.record({ type: fc.constant('Angle'), angle: fc.integer({ min: -179, max: 179 }).filter((angle) => angle !== 0) }),
  fc.record({ type: fc.constant('ClosedHem'), hemDirection: fc.constantFrom('Positive', 'Negative') }),
  fc.record({ type: fc.constant('OpenHem'), hemDirection: fc.constant('Positive'), hemHeight: dimension }),
);
const features = fc
  .tuple(straight, fc.array(fc.tuple(bend, straight), { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest.flat()]);

const filter = fc
  .array(fc.oneof(fc.constantFrom('+', '%c', '', 'plant'), plainId), { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join('/'))
  .filter((value) => value !== '');
const filters = fc.uniqueArray(fc.oneof(filter, fc.constantFrom('#', 'plant/#')), { maxLength: 3 });
const mqttAccounts = records(
  'name',
  // No machine has such a name.
  fc.record(
    { name: id.map((value) => `${value.slice(0, 100)}.1`), clientId: fc.constant(null), read: filters, write: filters },
    { requiredKeys: ['name'] },
  ),
);

const profiles = records(
  'profileId',
  fc.record(
    {
      profileId: id,
      profileName: name.filter((value) => value.trim() !== ''),
      features,
      description: orNull(text),
      category: words,
    },
    { requiredKeys: ['profileId', 'profileName', 'features'] },
  ),
);

const code = id.filter((value) => !/\p{Cc}/u.test(value));
const orders = records(
  'documentID',
  fc.record(
    {
      documentID: code,
      orderCode: code,
      customer: fc.record({ name: words }),
      products: fc.array(fc.record({ workOrder: words, maxBundleWeightLbs: amount }), { maxLength: 2 }),
      anything: fc.jsonValue({ maxDepth: 2 }).filter((value) => JSON.stringify(value).isWellFormed()),
    },
    { requiredKeys: ['documentID', 'products'] },
  ),
);

/** Replaces the numbers that stand for references by existing records. */
export const anyPlant = fc
  .record({ ...parts, profiles, orders, mqttAccounts, picks: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }) })
  .map(({ picks, catalogs, locations, machines, coils, tasks, ...others }) => {
    let next = 0;
    const pick = <T>(from: readonly T[]): T | undefined =>
      from[(picks[next++ % picks.length] ?? 0) % (from.length || 1)];
    const place = () => pick(locations)?.code ?? 'nowhere';
    return {
      ...others,
      catalogs: [{ catalogId: 100, name: 'Standard', default: true }, ...catalogs],
      locations: locations.length === 0 ? [{ code: 'nowhere', name: 'Nowhere', category: 'Bin' as const }] : locations,
      machines: machines.map((machine) => ({
        ...machine,
        topicRoot: `m/${machine.machineId}`,
        location: place(),
        catalogs: catalogs.slice(0, 1).map(({ catalogId }) => catalogId),
      })),
      coils: coils.map((coil) => ({ ...coil, location: place() })),
      tasks: tasks.flatMap((task) => {
        const machine = pick(machines);
        if (machine === undefined) return [];
        const { machineId } = machine;
        const selectedCoilId = pick(coils)?.coilId ?? null;
        return [{ ...task, machineId, sourceLocation: place(), destinationLocation: place(), selectedCoilId }];
      }),
    };
  });
