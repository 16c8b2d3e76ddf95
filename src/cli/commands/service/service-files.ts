import { programFile } from '../../../runtime/program-files.ts';

/** esbuild sets it in the bundled program. */
declare const PLANTGATE_BUNDLED: boolean | undefined;

type ServiceFile =
  | 'plantgate.service'
  | 'plantgate-update.service'
  | 'plantgate-apply.path'
  | 'plantgate-apply.service'
  | 'plantgate.yaml';

/** A file of the folder `systemd`. */
export function serviceFile(name: ServiceFile): string {
  return programFile(`systemd/${name}`).toString();
}

/** The file of the program itself; null from source, which has many files. */
export function ownBinary(): string | null {
  return typeof PLANTGATE_BUNDLED === 'undefined' ? null : process.execPath;
}
