import { type Fault, foundText } from '../../domain/error.ts';
import { entryFaults } from '../../domain/plant/library-rules.ts';
import type { PlantPorts, RecordDifference } from '../plant/plant-ports.ts';
import { MAX_ORDERS } from './order-flow.ts';
import type { OrderRecord, OrderSeed } from './order-ports.ts';

const ORDERS_AT_ONCE = 100;
/** Texts are copied to the store thread. */
const CHARACTERS_AT_ONCE = 1024 * 1024;

/** The changes that the orders of a plant file would make. */
export interface OrderPlan {
  readonly faults: readonly Fault[];
  readonly difference: readonly RecordDifference[];
  /** The orders that are added or replaced. */
  readonly planned: readonly { readonly orderKey: string; readonly json: string }[];
}

type Ports = Pick<PlantPorts, 'store' | 'clock'>;

/** Orders of a plant file: each is kept, or replaces the one with its document (D-20). */
export class OrderSeeds {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Paths of faults are the file's: `orders[3].products[0].workOrder`. */
  async plan(texts: readonly string[]): Promise<OrderPlan> {
    const { seeds, orders } = await this.#seeds(texts);
    const faults: Fault[] = [];
    const difference: RecordDifference[] = [];
    const planned: OrderPlan['planned'][number][] = [];
    const firstPlaces = new Map<string, number>();
    for (const [place, seed] of seeds.entries()) {
      if (!seed.ok) {
        faults.push(...entryFaults('orders', place, seed.faults));
        continue;
      }
      const { orderKey, change, fields, json } = seed;
      const first = firstPlaces.get(orderKey);
      firstPlaces.set(orderKey, first ?? place);
      if (first !== undefined) faults.push(twice(place, orderKey, first));
      if (change === null) continue;
      difference.push({ kind: 'orders', id: orderKey, change, fields });
      planned.push({ orderKey, json: json ?? texts[place] ?? '' });
    }
    const count = orders + difference.filter(({ change }) => change === 'create').length;
    if (count > MAX_ORDERS)
      faults.push({ path: 'orders', found: `${count} orders`, expected: `at most ${MAX_ORDERS}` });
    return { faults, difference, planned };
  }

  records({ planned }: OrderPlan, principal: string): readonly OrderRecord[] {
    const at = this.#ports.clock.now().wallMs;
    return planned.map((order) => ({ kind: 'orderPut', order: { ...order, at, principal } }));
  }

  async #seeds(texts: readonly string[]): Promise<{ readonly seeds: readonly OrderSeed[]; readonly orders: number }> {
    const seeds: OrderSeed[] = [];
    let orders = 0;
    for (const chunk of chunks(texts)) {
      const answer = await this.#ports.store.seedOrders(chunk);
      seeds.push(...answer.seeds);
      orders = answer.orders;
    }
    return { seeds, orders };
  }
}

function* chunks(texts: readonly string[]): Generator<readonly string[]> {
  let chunk: string[] = [];
  let characters = 0;
  for (const text of texts) {
    chunk.push(text);
    characters += text.length;
    if (chunk.length < ORDERS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield chunk;
    chunk = [];
    characters = 0;
  }
  if (chunk.length > 0) yield chunk;
}

function twice(place: number, orderKey: string, first: number): Fault {
  const expected = `an order once only; orders[${first}] is the same`;
  return { path: `orders[${place}].documentID`, found: foundText(orderKey), expected };
}
