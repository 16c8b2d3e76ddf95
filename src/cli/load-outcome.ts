import { at, listOf, numberAt, textAt } from './answer-values.ts';
import { alignedLines, printable } from './terminal-text.ts';

/** The result of a load of the plant, or of its dry run, as the gateway reports it. */
export interface Outcome {
  readonly kinds: readonly {
    readonly kind: string;
    readonly named: number;
    readonly created: number;
    readonly updated: number;
  }[];
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly isNew: boolean;
    readonly fields: readonly string[];
  }[];
}

export function readOutcome(body: unknown): Outcome {
  return {
    kinds: listOf(at(body, 'counts')).map((count) => ({
      kind: textAt(count, 'kind') ?? '?',
      named: numberAt(count, 'named') ?? 0,
      created: numberAt(count, 'created') ?? 0,
      updated: numberAt(count, 'updated') ?? 0,
    })),
    changes: listOf(at(body, 'changes')).map((change) => ({
      kind: textAt(change, 'kind') ?? '?',
      id: textAt(change, 'id') ?? '?',
      isNew: textAt(change, 'change') === 'create',
      fields: listOf(at(change, 'fields')).map(String),
    })),
  };
}

/** The outcome as lines for people: by kind, and for a dry run also record by record. */
export function describeLoad(
  outcome: Outcome,
  { file, dryRun }: { readonly file: string; readonly dryRun: boolean },
): readonly string[] {
  const { kinds } = outcome;
  const changed = kinds.reduce((sum, { created, updated }) => sum + created + updated, 0);
  const rows = kinds.map(({ kind, named, created, updated }) => [
    kind,
    String(created),
    String(updated),
    String(named - created - updated),
  ]);
  const table = alignedLines([['KIND', 'ADDED', 'CHANGED', 'AS IT WAS'], ...rows]);
  if (!dryRun) return [...table, changed === 0 ? `${file} changes nothing.` : `${file} is applied.`];
  return [...recordLines(outcome, changed), ...table, `Nothing was changed: this is what applying ${file} would do.`];
}

function recordLines({ changes }: Outcome, changed: number): readonly string[] {
  const lines = changes.map(({ kind, id, isNew, fields }) =>
    printable(isNew ? `+ ${kind} ${id}` : `~ ${kind} ${id}: ${fields.join(', ')}`),
  );
  return changed > lines.length ? [...lines, `… and ${changed - lines.length} more`] : lines;
}
