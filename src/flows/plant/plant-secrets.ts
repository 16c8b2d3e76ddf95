import { PLANT_CODECS } from '../../domain/plant/plant-codecs.ts';
import type {
  PlantContents,
  PlantEntries,
  PlantFile,
  PlantKind,
  PlantRecords,
} from '../../domain/plant/plant-entry.ts';
import type { SecretHasher } from './plant-ports.ts';

/** For entries whose secrets are hashes already: plans of the central server (D-106). */
export const SEALED: SecretHasher = {
  hash: async (_, hash) => hash,
  verify: async (present, hash) => present === hash,
};

/**
 * The records with the hashes of the secrets that their entries give; entry and record stand at the same place. A
 * secret that matches the stored hash keeps that hash, so that the same file again changes nothing (AUTH-02).
 */
export async function withSecrets(
  entries: PlantFile,
  records: PlantContents,
  secrets: SecretHasher,
): Promise<PlantContents> {
  const [machines, mqttAccounts, apiKeys, users] = await Promise.all([
    hashKind('machines', entries.machines, records.machines, secrets),
    hashKind('mqttAccounts', entries.mqttAccounts, records.mqttAccounts, secrets),
    hashKind('apiKeys', entries.apiKeys, records.apiKeys, secrets),
    hashKind('users', entries.users, records.users, secrets),
  ]);
  return { ...records, machines, mqttAccounts, apiKeys, users };
}

function hashKind<Kind extends PlantKind>(
  kind: Kind,
  entries: readonly PlantEntries[Kind][],
  records: readonly PlantRecords[Kind][],
  secrets: SecretHasher,
): Promise<readonly PlantRecords[Kind][]> {
  return Promise.all(
    records.map((record, place) => {
      const entry = entries[place];
      return entry === undefined ? record : hashEntry(kind, entry, record, secrets);
    }),
  );
}

async function hashEntry<Kind extends PlantKind>(
  kind: Kind,
  entry: PlantEntries[Kind],
  record: PlantRecords[Kind],
  secrets: SecretHasher,
): Promise<PlantRecords[Kind]> {
  let hashed = record;
  for (const slot of PLANT_CODECS[kind].secrets) {
    const secret = slot.given(entry);
    if (secret === undefined) continue;
    const present = slot.hash(record);
    if (present !== null && (await secrets.verify(present, secret))) continue;
    hashed = slot.withHash(hashed, await secrets.hash(slot.strength, secret));
  }
  return hashed;
}
