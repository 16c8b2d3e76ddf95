/** The seed of a random test: `TEST_SEED`, or a fresh one. It is printed, so that a failure can be repeated. */
export function announceSeed(test: string): number {
  const given = process.env.TEST_SEED;
  const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);
  console.info(`${test}: TEST_SEED=${seed}`);
  return seed;
}
