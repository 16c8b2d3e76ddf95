/** Every bound of the HTTP side, in one place. */
export const LIMITS = {
  /** A body of a device; a larger one is answered with 413 (D-13). */
  deviceBodyBytes: 65_536,
  /** A body of the business and the local interface; a larger one is answered with 413 (D-13). */
  apiBodyBytes: 1_048_576,
  /** A body of a sender that is not signed in yet, such as a sign-in; a larger one is answered with 413 (D-13). */
  openBodyBytes: 16_384,
  /** A body with an order (D-13). */
  orderBodyBytes: 8_388_608,
  /**
   * JSON values in one body. Bodies are read on the main thread, within 20 ms. The longest useful one is a profile of
   * 999 features with all their fields.
   */
  bodyValues: 12_000,
  /** A piece of a plant file. `plantgate apply` sends pieces of 64 KiB, or one longer record. */
  loadPieceBytes: 262_144,
  /** JSON values in one piece of a plant file. */
  loadPieceValues: 24_000,
  /** A whole plan for a group of gateways. */
  planBytes: 262_144,
  /** Values in it. */
  planValues: 40_000,
  /** A piece of an archive that a gateway fetches. */
  givenPieceBytes: 65_536,
  /** A piece of an update that is sent at the page. */
  updatePieceBytes: 262_144,
  /**
   * One batch of another gateway, as it comes; unpacked it may be more (thread/received/read-batch.ts). The largest order
   * fits, also one that cannot be compressed: a batch that is refused as a whole would hold up its gateway for ever.
   */
  maxBatchBytes: 9_437_184,
  /** Batches that are read and not answered yet. */
  batchBytesAtOnce: 33_554_432,
  /** Bodies that are not complete yet, over all connections. Beyond it the gateway closes the connection whose body has waited longest for more bytes. */
  unfinishedBodyBytes: 12_582_912,
  /** Smaller bodies are not counted, so that devices are always heard. */
  unfinishedBodyAllowance: 4_096,
  /** Chunks of a body that may be short. With more of them the connection is closed if those are short on average. */
  tinyChunks: 1_000,
  /** The least average length of the chunks of a body beyond the first `tinyChunks`. */
  averageChunkBytes: 256,
  /** People whose passwords are compared at once, each for some 80 ms. One more is asked to try again. */
  signInsAtOnce: 32,
  /** Headers of one request; larger ones are answered with 431. */
  headerBytes: 16_384,
  /** Connections in all. One more is closed at once. */
  connections: 20_000,
  /** Connections of one address, except the gateway's own computer (loopback) and trusted proxies. One more is closed at once. */
  connectionsPerAddress: 1_000,
  /** Connections that the system holds until they are accepted. */
  listenBacklog: 4_096,
  /** An idle connection is kept this long: a device polls at least every 5 s, and may miss a few polls. */
  keepAliveTimeoutMs: 30_000,
  /** A request whose headers are not complete within this time is answered with 408. */
  headersTimeoutMs: 10_000,
  /**
   * A request that is not complete within this time is answered with 408. A batch of another gateway gets the time in
   * addition that it takes on the slowest line (domain/sync/slowest-uplink.ts).
   */
  requestTimeoutMs: 20_000,
  /** The interval at which `headersTimeoutMs` and `requestTimeoutMs` are checked. */
  connectionsCheckMs: 1_000,
  /** A refused body is read on for this long, so that the answer reaches a sender that still writes. */
  lingerMs: 1_000,
  /** The part of a refused body that is still read. */
  lingerBytes: 1_048_576,
  /** `/metrics` waits for the numbers of the queue this long. The earlier numbers stand if the disk hangs. */
  queueNumbersWaitMs: 1_000,
  /** One text of `/metrics` serves all requests within this time. */
  metricsSharedMs: 50,
  /** Requests of clients other than devices get this much of one turn of the event loop, after the machines. */
  requestSliceMs: 2,
  /** Requests that a connection may send before the first of them is answered. */
  pipelinedRequests: 8,
  /** Requests that wait for the answer before theirs, over all connections. The connection that brings one more is cut off. */
  waitingRequestBytes: 4_194_304,
  /** Bytes that a request counts for beside its headers. */
  requestBytes: 4_096,
  /**
   * Answers that clients have not read, with their requests, over all connections; devices are also answered beyond it.
   */
  unreadBytes: 12_582_912,
  /** A longer answer is handed to its connection in pieces of this size, each when the one before it was taken. */
  answerPieceBytes: 65_536,
  /** The sum of unread bytes is at most this old. */
  unreadCountMs: 20,
  /** Variables that are not on disk within this time are answered with 500. They are stored once the disk takes them. */
  variablesStoredWithinMs: 5_000,
  /** A client that reads nothing for this long is cut off. */
  stalledReaderMs: 20_000,
  /** The time after which such a client is cut off while half of `unreadBytes` is unread. */
  stalledUnderPressureMs: 2_000,
  /** The time that requests under way have once the gateway stops. */
  closeGraceMs: 2_000,

  /** Downtimes that one request changes; more are answered with 400. */
  editedDowntimes: 200,
  /** Downtimes in one list. */
  listedDowntimes: 1_000,
  /** Records in one list of dead letters or of the plant. */
  listedRecords: 1_000,
  /** Machines of all gateways in one list, which is made while it is sent. */
  machinesOfFleet: 5_000,
  /** Records in one page of an export. */
  pageRecords: 5_000,
  /** Production days in one export. */
  exportedDays: 92,
  /** Buckets of one series of a variable. */
  buckets: 10_000,
  /** `take` of a list that names none (interface.md, Warehouse tasks). */
  takenByDefault: 100,
  /** `take` of a list; more is refused. */
  takenRecords: 1_000,
  /** A text in a query; a longer one is refused. */
  queryTextLength: 1_000,
  /** Words in one search; more are refused. */
  searchWords: 8,
  /** An id in a path; a longer one is not found. */
  idLength: 256,
  /** The shortest password that a person may type for a person; a shorter one is refused. */
  passwordLength: 8,
  /** An address or a key of another server. */
  addressLength: 2_000,
  /** Machines, areas, shifts or recipients that a rule or a recipient of alerts names. */
  alertNames: 200,
  /** Steps of a rule, and ways to a recipient. */
  alertSteps: 10,
  /** The words of the person who takes an alert. */
  alertNoteLength: 300,
  /** Shifts of a day that can be chosen at the page. */
  chosenShifts: 24,
  /** Days off in the settings of the page, and days and breaks of one shift there. */
  chosenDaysOff: 1_000,
  /** The range of a history without `from`. */
  defaultRangeMs: 24 * 3_600_000,
  /** The time for which one long answer may keep the loop before all other work gets a turn. */
  sliceMs: 4,

  /** Texts of the manual, and of the firmware samples, that are served; further files are left out. */
  textFiles: 64,
  /** A text of the manual or a firmware sample; a longer file is left out. */
  textFileBytes: 131_072,

  /** Things whose last change is remembered. Beyond it the one that was changed first is forgotten. */
  rememberedActs: 10_000,

  /** API keys that were right and need not be compared again. Beyond it the oldest is forgotten. */
  rememberedKeys: 1_000,
  /** A longer API key is refused unseen. */
  keyLength: 512,
  /** Wrong keys that an address may try at once. */
  failedAttempts: 10,
  /** The time after which an address gets one more try. */
  failedAttemptRefillMs: 5_000,
  /** The waiting time of each further try. */
  slowedAttemptMs: 1_000,
  /** Attempts of an address that may wait; more are answered with 429. */
  slowedAttempts: 4,
  /** Addresses, and keys, whose remaining requests are remembered. */
  rememberedBuckets: 10_000,
  /** Different unknown keys compared at once; each is compared with every configured one. */
  verificationsAtOnce: 64,

  /** A key may send the requests of this time (`http.requestsPerSecond`) at once; beyond that it gets 429 (D-25). */
  requestBurstSeconds: 5,

  /** Machines that showed their registration key. */
  rememberedMachines: 8_192,
  /** Requests that a machine may make at once, enough for a first sync in pages. */
  machineRequests: 200,
  /** The time after which a machine gets one more request; earlier ones are answered with 429. */
  machineRequestRefillMs: 100,

  /** Pages that follow live events. One more is answered with 429. */
  eventClients: 100,
  /** Such pages without a sign-in, where Andon is open. One more is answered with 429: the rest is for signed-in people. */
  onlookerEventClients: 50,
  /** Event streams of one session, panel or key, or of one address without a sign-in. One more ends the oldest of them. */
  eventStreamsOfOne: 10,
  /** Events that one page has not read. Beyond it the page is cut off, and reloads. */
  eventClientBacklogBytes: 1_048_576,
  /** Missed events that a page is sent when it comes back. If there are more, it loads everything again. */
  resumedEventBytes: 524_288,
  /** Unread events of all pages. Beyond it the page that is furthest behind is cut off. */
  eventBacklogBytes: 4_194_304,
  /** Events for pages get this much of one turn of the event loop, after the machines. */
  eventSliceMs: 0.1,
  /** Events that a page can resume from. */
  rememberedEvents: 10_000,
  /** The interval of the sign of life on a quiet event stream. */
  heartbeatMs: 15_000,
  /**
   * Changes are noted for this long after the last listener left, so that a listener that comes back misses nothing.
   */
  resumeGraceMs: 60_000,
  /** Events gather up to this length, because each write to each page costs as much as the event. */
  eventsAtOnceCharacters: 32_768,
  /** A machine is sent to pages at most once in this time. */
  machineEventIntervalMs: 250,
  /** The interval at which changes are sent to pages. */
  eventTickMs: 50,
  /** Machines whose messages one listener may follow. More are answered with 400. */
  followedMachines: 8,
  /** The interval at which their new messages are sent, at most the newest 50 of a machine. */
  messageTickMs: 100,
  /** Machines with only new counters and times are sent at most once in this time: at every second tick. */
  routineIntervalMs: 75,
  /** The number of these machines that are sent at once; the others wait. */
  routineMachinesAtOnce: 100,
} as const;
