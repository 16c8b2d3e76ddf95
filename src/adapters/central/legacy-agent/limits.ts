/** Every bound of what is said to a legacy agent over HTTP. */
export const LIMITS = {
  connections: 32,
  /** How long a connection without work is kept; agents commonly close theirs after 5 s. */
  keepAliveMs: 4_000,
  /** Bytes read of an answer; the rest is cut off. */
  answerBytes: 65_536,
  /** Characters of the agent's own words that are passed on. */
  messageLength: 300,
  sentences: 20,
  /** How long after a change a central server may still show what was before. */
  readLagMs: 1_000,
} as const;
