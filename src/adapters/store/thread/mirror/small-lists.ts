import type { Mirrored } from '../../../../domain/mirror/mirrored.ts';
import { mirroredCatalog, mirroredLocation, mirroredReasonCode } from '../../../../domain/mirror/mirrored-plant.ts';
import type { ListRead, MirroredList, MirroredRecords } from '../../../../flows/mirror/mirror-ports.ts';
import { digestOf } from './page-memory.ts';
import { recordsOf } from './record-list.ts';

/** Refused records of one answer that diagnostics names. */
const MAX_REFUSALS_TOLD = 5;

/** Reads the lists that are held in memory elsewhere; an unchanged list is not parsed again. */
export class SmallLists {
  readonly #taken = new Map<MirroredList, string>();
  /** Lists that were read and are not written yet. */
  readonly #read = new Map<MirroredList, string>();

  read(kind: MirroredList, bytes: Uint8Array): ListRead {
    const digest = digestOf(bytes);
    if (this.#taken.get(kind) === digest) return { kind: 'unchanged' };
    this.#taken.delete(kind);
    this.#read.delete(kind);
    const list = recordsOf(bytes);
    if (!list.ok) return { kind: 'fault', detail: list.fault };
    const refusals: Refusal[] = [];
    const records = recordsOfKind(kind, list.records, refusals);
    // A list with a record that cannot be read is read again, because the record may have changed.
    if (refusals.length === 0) this.#read.set(kind, digest);
    return {
      kind: 'read',
      list: records,
      refused: refusals.slice(0, MAX_REFUSALS_TOLD).map(({ fault }) => fault),
      refusedIds: refusals.flatMap(({ id }) => id ?? []),
    };
  }

  /** The last list of a kind is written, so the same list need not be read again. */
  taken(kind: MirroredList): void {
    const digest = this.#read.get(kind);
    if (digest !== undefined) this.#taken.set(kind, digest);
  }
}

type Refusal = Extract<Mirrored<never>, { ok: false }>;

function recordsOfKind(of: MirroredList, values: readonly unknown[], refusals: Refusal[]): MirroredRecords {
  const all = <T>(read: (value: unknown) => Mirrored<T>): readonly T[] =>
    values.flatMap((value) => {
      const one = read(value);
      if (!one.ok) refusals.push(one);
      return one.ok ? [one.record] : [];
    });
  switch (of) {
    case 'reasonCodes':
      return { of, records: all(mirroredReasonCode) };
    case 'locations':
      return { of, records: all(mirroredLocation) };
    case 'catalogs':
      return { of, records: all(mirroredCatalog) };
  }
}
