import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Waits until a file, or the names in a directory, are whole on the disk. For threads and programs that may wait. */
export function syncFile(place: string): void {
  const handle = openSync(place, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
