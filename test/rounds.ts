/**
 * `npm test` runs one in so many rounds of a slow property. `npm run test:all` sets TEST_SHARE to 3, and `npm run fire`
 * sets TEST_ROUNDS, which runs all of them.
 */
const EVERYDAY_SHARE = 10;

/** The number of rounds of a slow property to run, of `all`. */
export function rounds(all: number): number {
  if (process.env.TEST_ROUNDS !== undefined) return all;
  return Math.ceil(all / Number(process.env.TEST_SHARE ?? EVERYDAY_SHARE));
}
