import { stringify } from 'yaml';
import type { OrderSummaryRow } from '../../../../domain/order/order-summary.ts';

/**
 * Texts stay on their line, however long: who reads them by eye or by a simple program is not surprised. They are quoted,
 * for readers of YAML 1.1 take a plain `no` for false, `12:30` for 750 and a date for a moment.
 */
const SETTINGS = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;

/** A list of one row: lists put one after the other are one list. */
export function rowYaml(row: OrderSummaryRow): string {
  return stringify([row], SETTINGS);
}

export const EMPTY_LIST_YAML = '[]\n';
