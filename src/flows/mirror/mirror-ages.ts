import { MIRRORED_KINDS, type MirrorAge, type MirroredKind } from './mirror-ports.ts';

/** The last time at which each kind was mirrored. The central server decides about a kind once it was mirrored. */
export class MirrorAges {
  readonly #at: Map<string, number | null>;

  constructor(stored: readonly MirrorAge[] = []) {
    this.#at = new Map(stored.map(({ kind, lastMirroredAt }) => [kind, lastMirroredAt]));
  }

  note(kind: MirroredKind, at: number): void {
    this.#at.set(kind, at);
  }

  readonly isMirrored = (kind: string): boolean => (this.#at.get(kind) ?? null) !== null;

  list(): readonly MirrorAge[] {
    return MIRRORED_KINDS.map((kind) => ({ kind, lastMirroredAt: this.#at.get(kind) ?? null }));
  }
}
