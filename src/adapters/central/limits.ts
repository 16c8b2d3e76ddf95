/** Every bound of the traffic with another server. */
export const LIMITS = {
  /** Connections to the central server, for each of its users: queue, mirror. */
  connections: 16,
  /** Connections to the legacy agent: writes of different coils do not wait for one another. */
  agentConnections: 32,
  /** The time for which an idle connection is kept; servers commonly close theirs after 5 s. */
  keepAliveMs: 4_000,
  /** Bytes read of an answer, unless the request says otherwise; the rest is cut off. */
  answerBytes: 65_536,
  /** Characters of a server's own words that are passed on. */
  messageLength: 300,
  /** Sentences of a server's own words that are read. */
  sentences: 20,
  /** The time after a change in which a central server may still show the former state. */
  readLagMs: 1_000,
} as const;
