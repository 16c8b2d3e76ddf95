import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { openTestStore } from '../open-test-store.ts';

const threads = () => readdirSync('/proc/self/task').map(Number);

it.runIf(process.platform === 'linux')(
  'DEV-01 the store thread steps behind the main thread, which decides',
  async () => {
    const before = new Set(threads());
    const mainPriority = getPriority();
    const { store } = await openTestStore();
    const priorities = threads()
      .filter((threadId) => !before.has(threadId))
      .map((threadId) => getPriority(threadId));
    expect(priorities).toContain(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(getPriority()).toBe(mainPriority);
    await store.close();
  },
);
