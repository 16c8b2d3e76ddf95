import { createHook } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps one of the objects that `process.nextTick` makes, and gives the list that keeps it. Otherwise the first large
 * collection would remove their hidden class together with the last of them. From then on each object would be built
 * step by step, which takes six times as long, half a dozen times in each answer.
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
