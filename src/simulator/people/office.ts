import { DAY_MS } from '../../domain/time.ts';
import { apiCaller, type CallApi } from '../api-caller.ts';
import { MATERIALS } from '../plant/sample-material.ts';
import { SAMPLE_PROFILES } from '../plant/sample-profiles.ts';
import { between, oneOf, type Random } from '../random.ts';
import { startWorker, type WorkerOptions } from '../worker.ts';

export interface OfficeOptions extends WorkerOptions {
  readonly random: Random;
}

const ORDER_EVERY_MS = 60_000;
const FIRST_ORDERS = 4;
const CUSTOMERS = ['Alder Barns', 'Brightwater Roofing', 'Cedar & Sons', 'Dunmore Steel Buildings'] as const;
const TOOLINGS = ['PBR-36', 'AG-36', 'SS-16', 'Z-8'] as const;

/** The office: its profiles and first orders at once, then an order every minute. Takes a business key. */
export function startOffice(options: OfficeOptions): { stop(): void } {
  let number = 0;
  const sendOrder = async (call: CallApi) => {
    number += 1;
    await call('POST', '/api/v1/orders/add', orderOf(number, options.random));
    options.log(`office  sent order SO-${41_000 + number}`);
  };
  const worker = startWorker('office', ORDER_EVERY_MS, options, sendOrder);
  const leaving = new AbortController();
  begin(apiCaller(options, leaving.signal), sendOrder).catch((error: unknown) => {
    if (!leaving.signal.aborted) options.log(`office  could not begin: ${String(error)}`);
  });
  return {
    stop: () => {
      leaving.abort();
      worker.stop();
    },
  };
}

async function begin(call: CallApi, sendOrder: (call: CallApi) => Promise<void>): Promise<void> {
  for (const profile of SAMPLE_PROFILES) await call('POST', '/api/v1/profiles', profile);
  for (let count = 0; count < FIRST_ORDERS; count += 1) await sendOrder(call);
}

function orderOf(number: number, random: Random) {
  const [firstMaterial, ...otherMaterials] = MATERIALS;
  const { coilTypeCode, gauge, widthIn, color } = oneOf(firstMaterial, otherMaterials, random);
  const code = 41_000 + number;
  return {
    documentID: `DOC-${code}`,
    orderCode: `SO-${code}`,
    action: 'Put',
    salesOrder: `S-${code}`,
    customer: { code: `C-${number % CUSTOMERS.length}`, name: oneOf(CUSTOMERS[0], CUSTOMERS.slice(1), random) },
    schedule: {
      requiredDateTime: new Date(Date.now() + (1 + (number % 5)) * DAY_MS).toISOString(),
      onHold: number % 7 === 0,
    },
    products: [
      {
        toolingDetail: { toolingCode: oneOf(TOOLINGS[0], TOOLINGS.slice(1), random) },
        materialDetail: { materialCode: coilTypeCode, gauge, widthIn, color },
        workOrder: `WO-${code}`,
        bundles: Array.from({ length: 1 + (number % 3) }, (_, place) => ({
          bundleNumber: place + 1,
          items: [{ quantity: Math.round(between([10, 60], random)), partLengthIn: 96 + 24 * (number % 6) }],
        })),
      },
    ],
  };
}
