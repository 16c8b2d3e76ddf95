import { setFlagsFromString } from 'node:v8';

/**
 * Lets WebAssembly, which the HTTP client's parser is, call us as it does at first. After a thousand calls the engine would
 * make faster ways and take away those that nobody goes any more, in which it can lose count of its pages of code: "Check
 * failed: jit_page.has_value()" ends the process (nodejs/node#64500).
 */
export function keepFirstWasmWrappers(): void {
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
}
