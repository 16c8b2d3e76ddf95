import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import type { Range } from '../random.ts';
import type { MachinePace, SamplePart, SimulatedMachine } from './machine-design.ts';

export interface LineOptions {
  /** The factor by which stops are shorter and come sooner than in a real plant. */
  readonly timeScale?: number;
  readonly seed?: number;
  /** Statuses a second, instead of the interface's 2 while running and 1 while stopped. */
  readonly rateHz?: number | null;
}

/** Fast enough to see every kind of stop within minutes. */
const DEFAULT_TIME_SCALE = 6;

export const SAMPLE_PARTS: readonly [SamplePart, ...SamplePart[]] = [
  { partId: 'P-100', partName: 'Panel 100', lengthFt: 10 },
  { partId: 'P-120', partName: 'Panel 120 long', lengthFt: 16 },
  { partId: 'P-210', partName: 'Ridge cap', lengthFt: 10.5 },
  { partId: 'P-305', partName: 'Drip edge', lengthFt: 8 },
  { partId: 'P-410', partName: 'C purlin 8 in', lengthFt: 20 },
];

const OPERATORS = ['4711', '4725', '4739', '4802'] as const;

/** The differences of one kind of machine from the others. */
interface Kind {
  readonly name: string;
  readonly transport: SimulatedMachine['transport'];
  readonly spelling: SimulatedMachine['spelling'];
  readonly ratedSpeedFtPerMinute: number;
  readonly switchesOffAtBreaks?: true;
  readonly pace?: Partial<MachinePace>;
}

const KINDS: readonly [Kind, ...Kind[]] = [
  { name: 'Panel line', transport: 'json', spelling: {}, ratedSpeedFtPerMinute: 180, switchesOffAtBreaks: true },
  { name: 'Trim line', transport: 'fields', spelling: {}, ratedSpeedFtPerMinute: 120 },
  {
    name: 'Purlin line',
    transport: 'http',
    spelling: { machinePower: 'machine_power', goodPart: 'good-parts', mSecSinceBoot: 'uptimeMs', userId: 'badge_id' },
    ratedSpeedFtPerMinute: 140,
  },
  {
    name: 'Ridge line',
    transport: 'json',
    spelling: { machinePower: 'powered', badPart: 'scrap', fault: 'ALARM', partId: 'part_number' },
    ratedSpeedFtPerMinute: 95,
    pace: { faultEveryMs: 12 * MINUTE_MS, faultMs: [2 * MINUTE_MS, 8 * MINUTE_MS] },
  },
  {
    name: 'Soffit line',
    transport: 'json',
    spelling: { machineId: 'deviceId', running: 'isRunning', cycle: 'cycle_count', override: 'override-active' },
    ratedSpeedFtPerMinute: 160,
    pace: { silentEveryMs: 15 * MINUTE_MS },
  },
  {
    name: 'Gutter line',
    transport: 'json',
    spelling: { mSecSinceBoot: 'millis_since_boot', goodPart: 'goodCount', badPart: 'badCount', userId: 'operator' },
    ratedSpeedFtPerMinute: 110,
    pace: { rebootEveryMs: 20 * MINUTE_MS },
  },
];

/** A plant's pace in real time. */
const REAL_PACE: MachinePace = {
  setUpMs: [4 * MINUTE_MS, 9 * MINUTE_MS],
  coilChangeMs: [2 * MINUTE_MS, 5 * MINUTE_MS],
  breakMs: [8 * MINUTE_MS, 15 * MINUTE_MS],
  breakEveryMs: 2 * HOUR_MS,
  faultMs: [MINUTE_MS, 3 * MINUTE_MS],
  faultEveryMs: null,
  silentMs: [15_000, 25_000],
  silentEveryMs: null,
  rebootEveryMs: null,
  shiftMs: 8 * HOUR_MS,
  patienceMs: 6 * MINUTE_MS,
};
const REAL_COIL_FT: Range = [2_400, 6_000];
const REAL_JOB_PARTS: Range = [500, 1_500];

/** The name of the machine at a place of the line, in the plant file and on the wire. */
export function machineName(place: number) {
  const number = place + 1;
  return {
    machineId: `RF-${String(number).padStart(2, '0')}`,
    name: `${kindAt(place).name} ${Math.floor(place / KINDS.length) + 1}`,
    topicRoot: `plant1/rollformer-${number}`,
    serialNumber: `SN-${String(number).padStart(4, '0')}`,
  };
}

/** A roll-forming line with this number of machines, of six kinds in turn. The same seed gives the same line. */
export function simulatedMachines(count: number, options: LineOptions = {}): readonly SimulatedMachine[] {
  const { timeScale = DEFAULT_TIME_SCALE, seed = 1, rateHz = null } = options;
  const intervalMs = rateHz === null ? null : 1_000 / rateHz;
  const shorter = ([from, to]: Range): Range => [from / timeScale, to / timeScale];
  return Array.from({ length: count }, (_, place) => {
    const { transport, spelling, ratedSpeedFtPerMinute, switchesOffAtBreaks = false, pace } = kindAt(place);
    const { machineId, topicRoot } = machineName(place);
    const [firstPart, ...otherParts] = SAMPLE_PARTS;
    return {
      machineId,
      topicRoot,
      transport,
      spelling,
      statusIntervalMs: { running: intervalMs ?? 500, stopped: intervalMs ?? 1_000 },
      seed: seed * 7_919 + place * 101,
      ratedSpeedFtPerMinute,
      coilLengthFt: shorter(REAL_COIL_FT),
      jobParts: shorter(REAL_JOB_PARTS),
      firstPart,
      otherParts,
      operators: OPERATORS,
      switchesOffAtBreaks,
      pace: scaled({ ...REAL_PACE, ...pace }, timeScale),
    };
  });
}

/** A silence is not scaled, because it has to be longer than the ten seconds of rule 3. */
function scaled(pace: MachinePace, timeScale: number): MachinePace {
  const shorter = ([from, to]: Range): Range => [from / timeScale, to / timeScale];
  const sooner = (everyMs: number | null) => (everyMs === null ? null : everyMs / timeScale);
  return {
    setUpMs: shorter(pace.setUpMs),
    coilChangeMs: shorter(pace.coilChangeMs),
    breakMs: shorter(pace.breakMs),
    breakEveryMs: pace.breakEveryMs / timeScale,
    faultMs: shorter(pace.faultMs),
    faultEveryMs: sooner(pace.faultEveryMs),
    silentMs: pace.silentMs,
    silentEveryMs: sooner(pace.silentEveryMs),
    rebootEveryMs: sooner(pace.rebootEveryMs),
    shiftMs: pace.shiftMs / timeScale,
    patienceMs: pace.patienceMs / timeScale,
  };
}

function kindAt(place: number): Kind {
  return KINDS[place % KINDS.length] ?? KINDS[0];
}
