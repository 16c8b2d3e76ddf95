/** Every bound of the broker, in one place. A message or client that exceeds one is refused, counted and named in diagnostics. */
export const LIMITS = {
  /** A socket that has not sent its CONNECT within this time is closed. */
  connectTimeoutMs: 5_000,
  /** Connections that the kernel holds before the gateway takes them. More are refused. */
  listenBacklog: 4_096,
  /** New connections get this much of one turn of the event loop; further ones wait for the next turns. */
  acceptSliceMs: 4,
  /** Clients other than machines are let in at this rate; the others wait. */
  clientArrivalsPerSecond: 1_000,
  /** Disconnecting clients get this much of one turn. The system's own work to close a connection takes several times as long, and comes on top. */
  disconnectSliceMs: 1,
  /** Connections in all. One more is closed at once. */
  connections: 20_000,
  /** Connections of one address, except the gateway's own computer (loopback). One more is closed at once. */
  connectionsPerAddress: 1_000,
  /** Wrong passwords that one address may try at once. */
  wrongPasswordsPerAddress: 20,
  /** Wrong passwords that all guessing addresses together may try at once. */
  wrongPasswords: 200,
  /** After this time one more guess is allowed: 9,000 an hour. */
  wrongPasswordRefillMs: 400,
  /** Guessing addresses that are remembered. Beyond it the oldest is forgotten. */
  guessingAddresses: 4_096,
  /** Passwords that were right, as keyed hashes: they are never slowed down. */
  rememberedPasswords: 8_192,
  /** A longer client id is refused by CONNACK 2. */
  clientIdBytes: 256,
  /** A longer topic is dropped, a longer filter is refused by SUBACK 0x80. */
  topicBytes: 1_024,
  /** Levels of a topic or filter. More levels are treated like too great a length. */
  topicLevels: 32,
  /** Filters of one client. One more is refused by SUBACK 0x80. */
  subscriptionsPerClient: 200,
  /** Filters in one SUBSCRIBE packet. More end the connection. */
  filtersPerSubscribe: 100,
  /** Filters in one UNSUBSCRIBE packet: as many as a client may have. More end the connection. */
  filtersPerUnsubscribe: 200,
  /** Subscriptions of clients without a persistent session, in all. */
  liveSubscriptionBytes: 4_194_304,
  /** Persistent sessions. Beyond it the session that is away for the longest is forgotten. */
  sessions: 20_000,
  /** Persistent sessions with their subscriptions. Beyond it the session that is away for the longest is forgotten. */
  sessionBytes: 6_291_456,
  /** A session that no client came back to is forgotten after a week. */
  sessionExpiryMs: 7 * 24 * 3_600_000,
  /** After a restart a session lives at least this long, because the clock may have been wrong when its client left. */
  sessionGraceMs: 3_600_000,
  /** The newest messages, for connected readers. Beyond it the oldest is removed, and slow readers miss it. */
  feedMessages: 16_384,
  /** Bytes of the newest messages, for connected readers. */
  feedBytes: 8_388_608,
  /** Messages for persistent sessions. Beyond it the oldest is dropped, and the client that is furthest behind is named. */
  keptMessages: 20_000,
  /** Bytes of the messages for persistent sessions. */
  keptBytes: 8_388_608,
  /** Aliases of topics that a client of MQTT 5 may set. A greater one ends the connection. */
  topicAliases: 32,
  /** Bytes of the aliased topics of all clients. One more ends the connection of its client. */
  topicAliasBytes: 4_194_304,
  /** Commands that a machine of MQTT 5 is sent before it has acknowledged the first. */
  inFlightCommands: 32,
  /** A machine of MQTT 5 whose commands wait for a PUBACK this long is named in diagnostics. */
  unacknowledgedCommandsMs: 10_000,
  /** A reader is sent this many messages of QoS 1 and 2 before it has acknowledged the first. */
  inFlightPerReader: 32,
  /** The gateway stops waiting for a reader that has acknowledged nothing for this long. */
  acknowledgeMs: 2_000,
  /** Readers get this much of one turn of the event loop, after machines. */
  readerSliceMs: 2,
  /** A reader is given no more while this much is not taken. */
  readerBacklogBytes: 65_536,
  /** Bytes that all readers together have not taken. Beyond it no reader gets anything, and the slowest is cut off. */
  unreadBytes: 8_388_608,
  /** A reader that has taken nothing for this long is named in diagnostics. */
  slowReaderMs: 1_000,
  /** A reader that has taken nothing for this long is cut off. */
  stalledWriteMs: 30_000,
  /** A reader that has taken nothing for this long is cut off while readers hold half of `unreadBytes`. */
  stalledUnderPressureMs: 2_000,
  /** A SUBACK waits for its commit this long at most: a machine must get its commands also while the disk stands still. */
  subscribeCommitMs: 1_000,
  /** Bytes of the messages of QoS 2 that one client has begun to send. */
  incomingBytesPerClient: 1_048_576,
  /** Bytes of the messages of QoS 2 that all clients have begun to send. */
  incomingBytes: 4_194_304,
  /** Retained messages. One more is refused, and its sender is named. */
  retainedMessages: 20_000,
  /** Memory of retained messages. A message beyond it is refused, and its sender is named. */
  retainedBytes: 8_388_608,
  /** Wills of connected clients, in all; wills of up to 256 bytes are not counted. */
  willBytes: 4_194_304,
  /** A will of this size is not counted. */
  willAllowance: 256,
  /** Packets that are not complete yet, or wait for their turn, in all; connections with up to 1 KiB are not counted. */
  partialPacketBytes: 8_388_608,
  /** A connection may hold this much without being counted. */
  partialPacketAllowance: 1_024,
  /** Answers that a client other than a machine has not taken. Beyond it nothing more is read from the client. */
  unreadAnswerBytes: 4_096,
  /** This many clients may leave their answers for `stalledWriteMs`. If there are more, the limit is `stalledUnderPressureMs`. */
  stalledClients: 100,
  /** A machine that is this far behind in reading is disconnected. */
  slowMachineBytes: 65_536,
  /** Clients other than machines have this many packets handled in one turn of the event loop, all together. */
  clientPacketsPerTurn: 100,
  /** Clients other than machines have packets handled for this long in one turn; aedes does its part of the work later. */
  clientSliceMs: 2,
  /** Publications of a client other than a machine that may wait for the disk. Its next packets wait meanwhile. */
  unstoredPublications: 256,
  /** Packets of such a client that are handled at one go. Beyond it the next ones wait. */
  gatheredPacketBytes: 4_096,
  /** A client that names no keepalive is asked for a sign of life by TCP itself this often. */
  tcpKeepaliveMs: 60_000,
  /** A connection that is being closed has this long to take the bytes that are left for it. */
  lingerMs: 2_000,
} as const;
