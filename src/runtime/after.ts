/** Calls `act` once after a time. Gives a function that cancels it. */
export function after(delayMs: number, act: () => void): () => void {
  const timer = setTimeout(act, delayMs);
  return () => clearTimeout(timer);
}
