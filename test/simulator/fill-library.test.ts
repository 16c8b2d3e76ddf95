import { expect, it, onTestFinished } from 'vitest';
import { fillLibrary } from '../../src/simulator/fill-library.ts';
import { SAMPLE_PROFILES } from '../../src/simulator/sample-profiles.ts';
import { keyOf } from '../adapters/http/gateway-under-test.ts';
import { startLibrary } from '../adapters/http/v1/library-under-test.ts';

it('PROF-01 fills a library with every sample profile', async () => {
  const library = await startLibrary();
  onTestFinished(() => library.close());
  const lines: string[] = [];
  await fillLibrary({ httpUrl: library.url, key: keyOf('business'), log: (line) => lines.push(line) });
  expect(lines).toEqual([]);
  expect((await library.business('GET', '/profiles')).body).toHaveLength(SAMPLE_PROFILES.length);
});

it('says why a profile was not taken, and gives up where nobody answers', async () => {
  const library = await startLibrary();
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  await fillLibrary({ httpUrl: library.url, key: 'wrong', log });
  expect(lines[0]).toBe('office  profile Ridge cap was answered 401');
  await library.close();
  lines.length = 0;
  await fillLibrary({ httpUrl: library.url, key: 'wrong', log });
  expect(lines).toEqual([expect.stringContaining('office  could not send a profile')]);
});
