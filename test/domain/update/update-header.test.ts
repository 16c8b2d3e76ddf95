import { expect, it } from 'vitest';
import { updateRefusal } from '../../../src/domain/update/update-header.ts';

const PRESENT = { version: '1.4.0', arch: 'x64', schema: 2 };
const HEADER = {
  ...{ product: 'plantgate', ...PRESENT, version: '1.5.0' },
  ...{ bytes: 1, sha256: 'a'.repeat(64), created: '2026-03-04T08:00:00.000Z' },
} as const;

it.each([
  ['a newer version', {}, false, null],
  ['a newer schema', { schema: 3 }, false, null],
  ['another computer', { arch: 'arm64' }, false, 'it is for arm64'],
  ['an older schema', { schema: 1 }, true, 'to go back, restore a backup of that version'],
  ['the present version', { version: '1.4.0' }, true, 'is installed already'],
  ['an older version', { version: '1.3.9' }, false, 'older than the installed 1.4.0'],
  ['an older version that is permitted', { version: '1.3.9' }, true, null],
])('D-40 an update to %s is refused where it must be', (_, difference, allowDowngrade, reason) => {
  const refusal = updateRefusal({ ...HEADER, ...difference }, PRESENT, allowDowngrade);
  if (reason === null) expect(refusal).toBeNull();
  else expect(refusal).toContain(reason);
});
