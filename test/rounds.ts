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

/** The rounds of a property of the central server under faults: 20 in CI, 500 in `npm run fire`. */
export const FAULT_ROUNDS = Number(process.env.TEST_ROUNDS ?? (process.env.TEST_SHARE === undefined ? 5 : 20));

/** The seed of a random test: `TEST_SEED`, or a fresh one. It is printed, so that a failure can be repeated. */
export function announceSeed(test: string): number {
  const given = process.env.TEST_SEED;
  const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);
  console.info(`${test}: TEST_SEED=${seed}`);
  return seed;
}

/** The processor time that this thread has taken, in milliseconds. Other programs on the computer do not count. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The most processor time that this thread takes in one go while that work is done, in milliseconds. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let lastMs = processorMs();
  const look = () => {
    const nowMs = processorMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const timer = setInterval(look, 1);
  await work();
  look();
  clearInterval(timer);
  return longestMs;
}
