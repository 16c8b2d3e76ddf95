import { type Fault, invalidInput } from '../../domain/error.ts';
import {
  type FleetPlan,
  ofEachPlanKind,
  type PlanKind,
  planRecordId,
  type SealedPlan,
  type SealedRecord,
} from '../../domain/fleet/plan/fleet-plan.ts';
import { sealed } from '../../domain/fleet/plan/sealed-record.ts';
import type { SecretStrength } from '../../domain/plant/plant-codec.ts';
import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import type { PlantEntries } from '../../domain/plant/plant-entry.ts';
import type { SecretHasher } from './plant-ports.ts';

/** Where the hashes of secrets that a plan leaves out come from. */
export interface SealSources {
  readonly secrets: SecretHasher;
  /** The version before; null for the first. */
  readonly former: SealedPlan | null;
  /** The central server's own record of that name. */
  readonly own: (kind: 'apiKeys' | 'users', id: string) => object | undefined;
}

/**
 * Puts hashes in the place of secrets (AUTH-02). A secret that is left out is that of the central server's own person or
 * key, else that of the version before; one that is the same keeps its hash. Rejects with `invalid-input` if there is none.
 */
export async function sealPlan(plan: FleetPlan, sources: SealSources): Promise<SealedPlan> {
  const faults: Fault[] = [];
  const [apiKeys, users] = [
    await sealKind('apiKeys', plan.apiKeys, sources, faults),
    await sealKind('users', plan.users, sources, faults),
  ];
  if (faults.length > 0) throw invalidInput(faults);
  const open: { readonly [Kind in PlanKind]: readonly object[] } = plan;
  const records = ofEachPlanKind((kind) => open[kind].map((record): SealedRecord => ({ ...record })));
  return { ...records, apiKeys, users, ...(plan.shifts && { shifts: plan.shifts }) };
}

async function sealKind<Kind extends 'apiKeys' | 'users'>(
  kind: Kind,
  entries: readonly PlantEntries[Kind][],
  { secrets, former, own }: SealSources,
  faults: Fault[],
): Promise<readonly SealedRecord[]> {
  const before = new Map(former?.[kind].map((record) => [planRecordId(kind, record), record]));
  const records: SealedRecord[] = [];
  for (const [place, entry] of entries.entries()) {
    const id = planRecordId(kind, { ...entry });
    const { hashes, missing } = await hashesOf(kind, entry, [{ ...own(kind, id) }, before.get(id) ?? {}], secrets);
    const expected = 'a secret: neither this server nor the version before has one for it';
    for (const field of missing) faults.push({ path: `${kind}[${place}].${field}`, found: 'nothing', expected });
    records.push(sealed(kind, entry, hashes));
  }
  return records;
}

/** The hashes of an entry's secrets, and the fields of those that it needs and that nobody knows. */
async function hashesOf<Kind extends 'apiKeys' | 'users'>(
  kind: Kind,
  entry: PlantEntries[Kind],
  known: readonly SealedRecord[],
  secrets: SecretHasher,
): Promise<{ readonly hashes: Readonly<Record<string, string>>; readonly missing: readonly string[] }> {
  const hashes: Record<string, string> = {};
  const missing: string[] = [];
  const fields = new Map<string, unknown>(Object.entries(entry));
  for (const { field, hashField, strength, required, given } of PLANT_CODECS[kind].secrets) {
    const present = known.flatMap((record) => textOf(record[hashField]) ?? []);
    const secret = given(entry);
    // A badge or PIN of null is removed.
    const hash = fields.get(field) === null ? null : await hashOf(secret, present, strength, secrets);
    if (hash !== null) hashes[hashField] = hash;
    else if (required) missing.push(field);
  }
  return { hashes, missing };
}

async function hashOf(
  secret: string | undefined,
  present: readonly string[],
  strength: SecretStrength,
  secrets: SecretHasher,
): Promise<string | null> {
  if (secret === undefined) return present[0] ?? null;
  for (const hash of present) if (await secrets.verify(hash, secret)) return hash;
  return secrets.hash(strength, secret);
}

function textOf(hash: unknown): string | null {
  return typeof hash === 'string' && hash !== '' ? hash : null;
}
