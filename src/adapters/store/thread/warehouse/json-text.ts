import type { JsonText } from '../../../../flows/warehouse-ports.ts';

const encoder = new TextEncoder();

export function jsonTextOf(value: object): JsonText {
  return { bytes: encoder.encode(JSON.stringify(value)) };
}
