import { lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { makeDirectorySync } from '../../../runtime/disk/make-directory.ts';
import type { Installation } from './installation.ts';
import { type Step, step } from './place-file.ts';

export type Enabling = 'enable' | 'disable';

const WANTED_BY = /^WantedBy=(.+)$/gm;

/**
 * Enables units of an image, or disables them: `systemctl --root` makes the same links, but a computer on which images
 * are made may not have it.
 */
export function enableInImage({ unit, root }: Installation, act: Enabling, names: readonly string[]): Step {
  const directory = path.dirname(unit);
  let isChanged = false;
  for (const name of names) {
    for (const target of targetsOf(path.join(directory, name))) {
      const link = path.join(directory, `${target}.wants`, name);
      const isThere = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
      if (isThere === (act === 'enable')) continue;
      isChanged = true;
      if (isThere) {
        rmSync(link);
        continue;
      }
      makeDirectorySync(path.dirname(link));
      symlinkSync(path.join('/', path.relative(root, directory), name), link);
    }
  }
  return step(isChanged ? 'done' : 'unchanged', `${act} ${names.join(' ')} in the image`);
}

/** The targets that start a unit. */
function targetsOf(file: string): readonly string[] {
  const [...found] = readFileSync(file, 'utf8').matchAll(WANTED_BY);
  return found.flatMap(([, targets = '']) => targets.split(' '));
}
