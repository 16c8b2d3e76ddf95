import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/** Tells the engine what it would guess wrongly. For the main thread, before anything else. */
export function tuneEngine(): void {
  startObjectsShortLived();
  boundGarbage();
  keepFirstWrappers();
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

/**
 * Lets the old generation grow by half before all of it is searched for garbage. With less, the engine collects several
 * times while a crowd of machines comes, and each of them stays. With more, a flood of clients that come and go leaves
 * over 150 MB of garbage behind it.
 */
function boundGarbage(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/**
 * Lets WebAssembly, which the HTTP client's parser is, call us as it does at first. After a thousand calls the engine would
 * make faster ways and take away those that nobody goes any more, in which it can lose count of its pages of code: "Check
 * failed: jit_page.has_value()" ends the process (nodejs/node#64500).
 */
function keepFirstWrappers(): void {
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
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
