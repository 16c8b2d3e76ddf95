/** A commit runs this share of the rounds of a slow property; `npm run fire` runs all of them. */
const SHARE_AT_A_COMMIT = 1 / 3;

/** How many rounds of a slow property to run, of so many in all. */
export function rounds(all: number): number {
  return process.env.TEST_ROUNDS === undefined ? Math.ceil(all * SHARE_AT_A_COMMIT) : all;
}
