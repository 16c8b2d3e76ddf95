/** The kinds of things that a code on a label can name. */
export type ScannedKind = 'machine' | 'coil' | 'location' | 'task' | 'part';

/** The record that a scanned code names. `code` is the code as it came, `id` the record's own. */
export type Scanned =
  | { readonly kind: ScannedKind; readonly id: string; readonly name: string | null; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string };

export interface ScanApi {
  find(code: string): Promise<Scanned>;
}
