import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import { SAMPLE_PARTS } from '../machine/rolling-line.ts';
import { MATERIALS } from './sample-material.ts';

/** The pieces of a job that machines have made so far. */
export interface JobDone {
  readonly jobNumber: string;
  readonly partId: string | null;
  readonly goodParts: number;
  readonly lastActiveAt: number;
}

/** How an order of the sample plant stands: the share of its pieces that is made, and its due day from today on. */
interface Standing {
  readonly madeShare: number;
  readonly dueInDays: number | null;
  readonly onHold?: boolean;
}

/** Orders of the newest jobs, the newest first. */
const BEGUN: readonly Standing[] = [
  { madeShare: 0.44, dueInDays: 1 },
  { madeShare: 0.81, dueInDays: 0 },
  { madeShare: 0.62, dueInDays: -2 },
  { madeShare: 0.9, dueInDays: -12 },
  { madeShare: 0.35, dueInDays: 4, onHold: true },
  { madeShare: 0.7, dueInDays: null },
  { madeShare: 1, dueInDays: 1 },
  { madeShare: 1, dueInDays: -1 },
  { madeShare: 1, dueInDays: -3 },
  { madeShare: 1, dueInDays: null },
];

/** Orders of which nothing is made yet. */
const NOT_BEGUN: readonly Standing[] = [
  { madeShare: 0, dueInDays: 2 },
  { madeShare: 0, dueInDays: 6 },
  { madeShare: 0, dueInDays: -4 },
  { madeShare: 0, dueInDays: 3, onHold: true },
  { madeShare: 0, dueInDays: -1, onHold: true },
  { madeShare: 0, dueInDays: null },
];

const CUSTOMERS = [
  'Alder Barns',
  'Brightwater Roofing',
  'Cedar & Sons',
  'Dunmore Steel Buildings',
  'Lakeshore Roofing and Architectural Sheet Metal Supply',
] as const;
const TOOLINGS = ['PBR-36', 'AG-36', 'SS-16', 'TR-4', 'Z-8'] as const;
const FIRST_NEW_CODE = 41_901;
const NEW_PIECES = 180;
const PIECES_OF_BUNDLE = 120;
const MOST_BUNDLES = 9;
/** A job with fewer good pieces has only just begun: a share of them would be no whole piece. */
const FEWEST_PIECES_MADE = 10;

/** Orders in every state: open, part made, made, overdue, on hold and without a due date (D-78). */
export function sampleOrders(jobs: readonly JobDone[], nowMs: number): readonly { readonly documentID: string }[] {
  const begunJobs = jobs.filter(({ goodParts }) => goodParts >= FEWEST_PIECES_MADE);
  const newest = begunJobs.sort((one, other) => other.lastActiveAt - one.lastActiveAt);
  const begun = BEGUN.flatMap((standing, place) => {
    const job = newest[place];
    if (job === undefined) return [];
    const pieces = Math.max(1, Math.floor(job.goodParts / standing.madeShare));
    return [orderOf(job.jobNumber, job.partId, pieces, standing, place, nowMs)];
  });
  const others = NOT_BEGUN.map((standing, place) =>
    orderOf(`SO-${FIRST_NEW_CODE + place}`, null, NEW_PIECES + place * 60, standing, place + 1, nowMs),
  );
  return [...begun, ...others];
}

function orderOf(
  orderCode: string,
  partId: string | null,
  pieces: number,
  { dueInDays, onHold = false }: Standing,
  place: number,
  nowMs: number,
) {
  const part = Math.max(
    0,
    SAMPLE_PARTS.findIndex((one) => one.partId === partId),
  );
  const { partName, lengthFt } = SAMPLE_PARTS[part] ?? SAMPLE_PARTS[0];
  const material = MATERIALS[place % MATERIALS.length] ?? MATERIALS[0];
  const due = dueInDays === null ? null : nowMs + dueInDays * DAY_MS + (dueInDays === 0 ? 5 : 1) * HOUR_MS;
  return {
    documentID: `DOC-${orderCode}`,
    orderCode,
    salesOrder: orderCode.replace('SO', 'S'),
    purchaseOrder: `PO-${7_200 + place}`,
    customer: { code: `C-${place % CUSTOMERS.length}`, name: CUSTOMERS[place % CUSTOMERS.length] },
    schedule: {
      onHold,
      ...(due !== null && { requiredDateTime: new Date(due).toISOString().slice(0, 16).concat('Z') }),
    },
    products: [
      {
        toolingDetail: { toolingCode: TOOLINGS[part], description: partName },
        materialDetail: {
          materialCode: material.coilTypeCode,
          description: `${material.gauge} ga ${material.color}`,
          gauge: material.gauge,
          color: material.color,
        },
        bundles: bundlesOf(pieces, lengthFt * 12),
      },
    ],
  };
}

/** Two lengths in bundles: the part's own, and a shorter one for the rest. */
function bundlesOf(pieces: number, lengthIn: number) {
  const short = Math.floor(pieces * 0.3);
  const lengths = [
    { quantity: pieces - short, partLengthIn: lengthIn, letter: 'A' },
    { quantity: short, partLengthIn: lengthIn - 19.5, letter: 'B' },
  ].filter(({ quantity }) => quantity > 0);
  let bundleNumber = 0;
  return lengths.flatMap(({ quantity, partLengthIn, letter }) => {
    const count = Math.min(MOST_BUNDLES, Math.ceil(quantity / PIECES_OF_BUNDLE));
    return Array.from({ length: count }, (_, place) => {
      bundleNumber += 1;
      const share = Math.floor((quantity * (place + 1)) / count) - Math.floor((quantity * place) / count);
      const items = [{ quantity: share, partLengthIn, sequence: letter === 'A' ? 1 : 2 }];
      return { bundleNumber, bundleCode: `${letter}-${place + 1}`, items };
    });
  });
}
