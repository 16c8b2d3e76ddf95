import { errorCode } from '../domain/error-code.ts';
import { ConfigError } from './located-fault.ts';
import { readFileBounded } from './read-file.ts';
import { MAX_CONFIG_BYTES } from './yaml/yaml-limits.ts';

/** The bytes of a file with settings; null if it does not exist. Throws ConfigError if it cannot be read. */
export function readConfigBytes(file: string): Uint8Array | null {
  try {
    return readFileBounded(file, MAX_CONFIG_BYTES);
  } catch (error) {
    const code = errorCode(error);
    const isForbidden = code === 'EACCES' || code === 'EPERM';
    throw unreadable(file, code ?? String(error), isForbidden ? 'not-permitted' : 'invalid-input');
  }
}

export function unreadable(file: string, found: string, code?: 'invalid-input' | 'not-permitted'): ConfigError {
  return new ConfigError([{ file, line: null, column: null, path: 'file', found, expected: 'a file to read' }], code);
}
