/** Calls `act` once after a time. Gives what calls it off. */
export function after(delayMs: number, act: () => void): () => void {
  const timer = setTimeout(act, delayMs);
  return () => clearTimeout(timer);
}
