import type { JsonText } from '../../../../flows/warehouse/warehouse-ports.ts';

const encoder = new TextEncoder();

export function jsonTextOf(json: string): JsonText {
  return { bytes: encoder.encode(json) };
}
