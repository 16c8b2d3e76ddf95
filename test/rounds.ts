/** A commit runs this share of the rounds of a slow property; `npm run fire` runs all of them. */
const SHARE_AT_A_COMMIT = 1 / 3;

/** The number of rounds of a slow property to run, of `all`. */
export function rounds(all: number): number {
  return process.env.TEST_ROUNDS === undefined ? Math.ceil(all * SHARE_AT_A_COMMIT) : all;
}
