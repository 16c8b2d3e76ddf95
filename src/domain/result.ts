import type { Fault } from './error.ts';

/**
 * The outcome of reading or judging something that may be refused: what it gives, or the reasons of the refusal. Only
 * faults of the gateway, and refusals that end a request, are thrown (development.md, Errors).
 */
export type Result<Given extends object, Refusal extends object = { readonly faults: readonly Fault[] }> =
  | ({ readonly ok: true } & Given)
  | ({ readonly ok: false } & Refusal);
