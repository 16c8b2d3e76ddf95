/** Every bound of the broker, in one place. What exceeds one is refused, counted and named in diagnostics. */
export const LIMITS = {
  /** A socket that has not sent its CONNECT by then is closed. */
  connectTimeoutMs: 5_000,
  /** Newcomers get so much of one turn of the event loop; those beyond it wait for the next turns. */
  greetingSliceMs: 4,
  /** Those that go likewise. What the system does to close a connection takes several times as long, and comes on top. */
  partingSliceMs: 1,
  connections: 20_000,
  /** The gateway's own machine (loopback) is exempt. */
  connectionsPerAddress: 1_000,
  /** Wrong passwords at one go from an address, and from all that were wrong before. */
  wrongPasswordsPerAddress: 20,
  wrongPasswords: 200,
  /** After so long there is one more: 9,000 an hour. */
  wrongPasswordRefillMs: 400,
  guessingAddresses: 4_096,
  /** Passwords that were right, as keyed hashes: they are never slowed down. */
  rememberedPasswords: 8_192,
  clientIdLength: 256,
  topicLength: 1_024,
  topicLevels: 32,
  subscriptionsPerClient: 200,
  filtersPerSubscribe: 100,
  sessions: 20_000,
  /** A session nobody came back to is forgotten after a week. */
  sessionExpiryMs: 7 * 24 * 3_600_000,
  /** It has at least so long after a restart, for the clock may have been wrong when its client left. */
  sessionGraceMs: 3_600_000,
  queuedMessagesPerSession: 1_000,
  queuedBytesPerSession: 1_048_576,
  queuedBytes: 33_554_432,
  retainedMessages: 20_000,
  retainedBytes: 33_554_432,
  /** A machine this far behind is disconnected; another reader gets no more QoS 0 messages, and twice of it at most. */
  slowReaderBytes: 262_144,
  /** A client that names no keepalive is asked for a sign of life by TCP itself this often. */
  tcpKeepaliveMs: 60_000,
  /** A client whose socket takes nothing for so long is disconnected. */
  stalledWriteMs: 30_000,
  /** A connection that is being closed gets so long to take what is left for it. */
  lingerMs: 2_000,
} as const;
