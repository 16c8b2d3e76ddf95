import type { Validator } from './schema-compiler.ts';

/**
 * Validators by the fingerprint of their schema. This table is empty: the bundler puts a full one in its place
 * (build/prepare-validators.ts), because compiling takes a tenth of a start. A program that runs from its sources compiles.
 */
export const PREPARED_VALIDATORS: ReadonlyMap<string, Validator> = new Map();
