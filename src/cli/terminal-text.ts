/** Names from machines and people must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

const GAP = '  ';

/** Rows of words as lines whose columns stand below each other. */
export function alignedLines(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, place) => Math.max(...cells.map((row) => lengthOf(row[place] ?? ''))));
  return cells.map((row) =>
    row
      .map((text, place) => text + ' '.repeat((widths[place] ?? 0) - lengthOf(text)))
      .join(GAP)
      .trimEnd(),
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}
