import { mergedRows, type OrderSummaryRow } from '../../../../domain/order/order-summary.ts';
import type { OrderFilter, YamlText } from '../../../../flows/orders/order-ports.ts';
import { EMPTY_LIST_YAML, rowYaml } from './order-yaml.ts';

/** One row of one order. */
export interface SummaryLine {
  readonly orderCode: string | null;
  readonly materialCode: string | null;
  readonly toolingCode: string | null;
  readonly json: string;
  readonly yaml: string;
}

const encoder = new TextEncoder();

/**
 * A summary that grows by lines in their order. Lines of several documents with one key become one row; all other lines
 * stay as they were written.
 */
export class SummaryText {
  readonly #chunks: Uint8Array[] = [];
  #rows = '';
  #alike: SummaryLine[] = [];
  #bytes = 0;
  #isEmpty = true;
  #skip: number;
  #take: number;

  /** Of all rows, those behind the first `skip` are written, at most `take`; all if it is null. */
  constructor({ skip, take }: Pick<OrderFilter, 'skip' | 'take'> = { skip: 0, take: null }) {
    this.#skip = skip;
    this.#take = take ?? Number.POSITIVE_INFINITY;
  }

  /** Its length, without the rows that came since it was last settled. */
  get settledBytes(): number {
    return this.#bytes;
  }

  add(line: SummaryLine): void {
    const [first] = this.#alike;
    if (first !== undefined && !isAlike(first, line)) this.#endRow();
    this.#alike.push(line);
  }

  /** Turns the new rows into bytes, so that less is left to turn in the end. */
  settle(): void {
    if (this.#rows === '') return;
    const chunk = encoder.encode(this.#rows);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#rows = '';
  }

  end(): YamlText {
    if (this.#alike.length > 0) this.#endRow();
    if (this.#isEmpty) this.#rows = EMPTY_LIST_YAML;
    this.settle();
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return { bytes };
  }

  #endRow(): void {
    if (this.#skip > 0) this.#skip--;
    else if (this.#take > 0) {
      this.#take--;
      this.#isEmpty = false;
      this.#rows += oneRow(this.#alike);
    }
    this.#alike = [];
  }
}

/** Orders without a code have none in common. */
function isAlike(one: SummaryLine, other: SummaryLine): boolean {
  const { orderCode, materialCode, toolingCode } = one;
  if (orderCode === null) return false;
  return orderCode === other.orderCode && materialCode === other.materialCode && toolingCode === other.toolingCode;
}

function oneRow(alike: readonly SummaryLine[]): string {
  const [first, ...others] = alike;
  if (first !== undefined && others.length === 0) return first.yaml;
  // Only OrderWriter writes them.
  return rowYaml(mergedRows(alike.map(({ json }) => JSON.parse(json) as OrderSummaryRow)));
}
