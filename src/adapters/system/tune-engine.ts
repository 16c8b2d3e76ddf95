import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/** Tells the engine what it would guess wrongly. For the main thread, before anything else. */
export function tuneEngine(): void {
  startObjectsShortLived();
  keepTickShape();
}

/**
 * Lets every new object start out as short-lived. The engine would take the rush at the start, when thousands of machines
 * come and stay, for the rule and put records and texts that live a tenth of a second among the long-lived ones from then
 * on: megabytes a second that only a large collection of garbage takes away, with a pause every few seconds.
 */
function startObjectsShortLived(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

const kept: object[] = [];

/**
 * Keeps one of the objects that `process.nextTick` makes. The first large collection would take their hidden class away with
 * the last of them, and from then on each would be built step by step: six times as long, half a dozen times an answer.
 */
function keepTickShape(): void {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') kept.push(resource);
    },
  });
  hook.enable();
  process.nextTick(() => hook.disable());
}
