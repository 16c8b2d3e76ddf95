/** Measured latencies in milliseconds. */
export class Latencies {
  readonly #values: number[] = [];

  add(milliseconds: number): void {
    this.#values.push(milliseconds);
  }

  get count(): number {
    return this.#values.length;
  }

  /** The latency that `share` of all did not exceed. */
  quantiles<const Shares extends readonly number[]>(shares: Shares): { [Index in keyof Shares]: number } {
    const sorted = Float64Array.from(this.#values).sort();
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
    return shares.map(at) as { [Index in keyof Shares]: number };
  }
}
