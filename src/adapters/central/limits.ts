/** Every bound of what is said to a central server. */
export const LIMITS = {
  connections: 16,
  /** How long a connection without work is kept; servers commonly close theirs after 5 s. */
  keepAliveMs: 4_000,
  /** Bytes read of an answer, unless the request says otherwise; the rest is cut off. */
  answerBytes: 65_536,
} as const;
