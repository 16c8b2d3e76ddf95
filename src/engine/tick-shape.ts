import { createHook } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps one of the objects that `process.nextTick` makes, and gives where it is kept. The first large collection would
 * take their hidden class away with the last of them. From then on each would be built step by step: six times as long,
 * half a dozen times an answer.
 */
export function keepTickShape(): readonly object[] {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') kept.push(resource);
    },
  });
  hook.enable();
  process.nextTick(() => hook.disable());
  return kept;
}
