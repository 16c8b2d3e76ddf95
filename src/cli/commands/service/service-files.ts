import { readFileSync } from 'node:fs';
import path from 'node:path';

/** esbuild sets it in the single binary, which has the folder `systemd` beside its code. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

type ServiceFile =
  | 'plantgate.service'
  | 'plantgate-update.service'
  | 'plantgate-apply.path'
  | 'plantgate-apply.service'
  | 'plantgate.yaml';

/** A file of the folder `systemd`. */
export function serviceFile(name: ServiceFile): string {
  return readFileSync(path.join(folder(), name), 'utf8');
}

/** The file of the program itself; null from source, which has many files. */
export function ownBinary(): string | null {
  return typeof PLANTGATE_BUNDLED === 'undefined' ? null : process.execPath;
}

function folder(): string {
  if (typeof PLANTGATE_BUNDLED !== 'undefined') return path.join(import.meta.dirname, 'systemd');
  return path.resolve(import.meta.dirname, '../../../../systemd');
}
