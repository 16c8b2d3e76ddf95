/** Every bound of the HTTP side, in one place. */
export const LIMITS = {
  /** D-13. */
  deviceBodyBytes: 65_536,
  apiBodyBytes: 1_048_576,
  orderBodyBytes: 8_388_608,
  /** Bodies are read on the main thread, within 20 ms. The longest that is of use is a profile of 999 features with all their fields. */
  bodyValues: 12_000,
  /** Of a plant file: one that `plantgate apply` sends is 64 KiB, or one record that is longer. */
  loadPieceBytes: 262_144,
  loadPieceValues: 24_000,
  /** One batch of another gateway, as it comes; unpacked it may be more (thread/received/read-batch.ts). */
  maxBatchBytes: 4_194_304,
  /** Batches that are read and not answered yet. */
  batchBytesAtOnce: 134_217_728,
  headerBytes: 16_384,
  connections: 20_000,
  /** The gateway's own machine (loopback) is exempt. */
  connectionsPerAddress: 1_000,
  listenBacklog: 4_096,
  /** A device polls at least every 5 s: it keeps its connection through a few that are missed. */
  keepAliveTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  connectionsCheckMs: 1_000,
  /** A body that was refused is read on for so long and so far, so that the answer reaches a sender that still writes. */
  lingerMs: 1_000,
  lingerBytes: 1_048_576,
  /** The text of `/metrics` serves everybody who asks within this time. */
  metricsSharedMs: 50,
  /** Requests that a connection may send before the first of them is answered. */
  pipelinedRequests: 8,
  /** Answers that clients have not read, over all connections; devices are answered beyond it too. */
  unreadBytes: 16_777_216,
  /** That sum is this old at most. */
  unreadCountMs: 20,
  /** A client that reads nothing for this long is cut off. */
  stalledReaderMs: 20_000,
  /** The same, while half of `unreadBytes` is unread. */
  stalledUnderPressureMs: 2_000,
  /** How long requests under way may take once the gateway stops. */
  closeGraceMs: 2_000,

  listedDowntimes: 1_000,
  listedRecords: 1_000,
  pageRecords: 5_000,
  buckets: 10_000,
  /** interface.md, Limits. */
  takenByDefault: 100,
  takenRecords: 1_000,
  queryTextLength: 1_000,
  searchWords: 8,
  idLength: 256,
  /** Without `from`, histories reach back so far. */
  defaultRangeMs: 24 * 3_600_000,
  /** How long the loop may be kept by one long answer before everybody else gets a turn. */
  sliceMs: 4,

  rememberedKeys: 1_000,
  keyLength: 512,
  /** Wrong keys an address may try at once, and how long it takes to get one more try. */
  failedAttempts: 10,
  failedAttemptRefillMs: 5_000,
  /** How long each further one waits before it is compared, and how many of an address may wait. */
  slowedAttemptMs: 1_000,
  slowedAttempts: 4,
  /** Addresses, and keys, of which is known how much they may still ask. */
  rememberedBuckets: 10_000,
  /** Different unknown keys compared at once; each is compared with every configured one. */
  verificationsAtOnce: 64,

  /** What a key may ask of the business interface at once, and how long it takes to get one more request (D-25). */
  businessRequests: 100,
  businessRequestRefillMs: 20,

  /** Machines that showed their registration key. */
  rememberedMachines: 8_192,
  /** What a machine may fetch at once, a first sync in pages among it, and how long it takes to get one more request. */
  machineRequests: 200,
  machineRequestRefillMs: 100,

  eventClients: 100,
  eventClientBacklogBytes: 1_048_576,
  rememberedEvents: 10_000,
  heartbeatMs: 15_000,
  /** Changes are noted for so long after the last listener left, so that one that comes back misses nothing. */
  resumeGraceMs: 60_000,
  machineEventIntervalMs: 250,
  eventTickMs: 50,
  /** Machines of which only counters and times changed, per tick; the rest waits its turn. */
  routineMachinesPerTick: 50,
} as const;
