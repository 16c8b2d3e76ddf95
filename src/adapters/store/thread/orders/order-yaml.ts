import { stringify } from 'yaml';
import type { OrderSummaryRow } from '../../../../domain/order/order-summary.ts';

/**
 * Texts of any length stay on their line, so that people and simple programs can read them. They are quoted, because
 * readers of YAML 1.1 take a plain `no` for false, `12:30` for 750 and a date for a time.
 */
const SETTINGS = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;

/** A list of one row: lists put one after the other are one list. */
export function rowYaml(row: OrderSummaryRow): string {
  return stringify([row], SETTINGS);
}

export const EMPTY_LIST_YAML = '[]\n';
