/** Stands in the place of fetch's Response: no answer of the gateway is one. */
class NoResponse {}

/**
 * Koa asks of most answers whether they are a Response of fetch. Node 24 loads all of fetch at the first such question,
 * which blocks the thread for 80 ms. The gateway calls other servers by the package undici, which has its own classes.
 */
export function keepFetchUnloaded(): void {
  // An assignment: defining a property would load fetch as well.
  Object.assign(globalThis, { Response: NoResponse });
}
