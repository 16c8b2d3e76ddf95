/** The kinds of things that a code on a label can name. */
export type ScannedKind = 'machine' | 'coil' | 'location' | 'task' | 'part';

/**
 * The record that a scanned code names. `code` is the code as it came, `id` the record's own. `similar`: the ids that are
 * the code in another case of its letters, if they are several, so that none was chosen (D-61).
 */
export type Scanned =
  | { readonly kind: ScannedKind; readonly id: string; readonly name: string | null; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string; readonly similar: readonly string[] };

export interface ScanApi {
  find(code: string): Promise<Scanned>;
}
