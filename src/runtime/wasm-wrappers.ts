import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the first call wrappers of WebAssembly, in which the HTTP client's parser is written. After a thousand calls
 * the engine would make faster wrappers and remove unused ones, and can lose count of its pages of code: "Check failed:
 * jit_page.has_value()" ends the process (nodejs/node#64500).
 */
export function keepFirstWasmWrappers(): void {
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
}
