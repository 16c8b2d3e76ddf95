import { type Sight, WHOLE_SIGHT } from '../../domain/plant/sight.ts';
import { ownSentence, ownText } from '../../runtime/own-text.ts';
import type { Clock, Incident, Incidents, Log } from '../ports.ts';
import { type DistinctFault, faultLength, noteFault } from './distinct-faults.ts';
import type { Dismissal } from './local-api-ports.ts';

/** Every kind of trouble, so that diagnostics shows each, empty or not. */
export const INCIDENT_KINDS = Object.keys({
  malformed: 0,
  unknownDevice: 0,
  unmatchedTopic: 0,
  unmatchedSubscription: 0,
  tolerated: 0,
  rateLimited: 0,
  forbiddenPublish: 0,
  forbiddenSubscription: 0,
  protocolViolation: 0,
  brokenHttp: 0,
  packetTooLarge: 0,
  duplicateClientId: 0,
  accessRefused: 0,
  slowReader: 0,
  limitReached: 0,
  clockJump: 0,
  deviceClock: 0,
  counterFell: 0,
  twoSenders: 0,
  heldUp: 0,
  plantFile: 0,
  discovery: 0,
  store: 0,
  legacyAgent: 0,
  sendingGateway: 0,
  alertChannel: 0,
  upstream: 0,
  internal: 0,
} satisfies Record<Incident['kind'], 0>) as readonly Incident['kind'][];

/** Trouble with gateways that send here, which not every caller may know of (D-109). */
const OF_GATEWAYS: Incident['kind'] = 'sendingGateway';

/** One kind of trouble with one subject, and its number. Times are wall-clock milliseconds since 1970. */
export interface IncidentEntry {
  readonly kind: Incident['kind'];
  readonly subject: string;
  /** The gateway that sends here of which it speaks; null: of none. */
  readonly gatewayId: string | null;
  /** The newest occurrence in words. */
  readonly detail: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The faults, each once, the newest first. */
  readonly faults: readonly DistinctFault[];
}

/** One subject of a kind. */
interface SubjectLog {
  readonly entry: IncidentEntry;
  readonly loggedMs: number;
  /** The number of incidents since the last line about the subject in the log; these have no line of their own. */
  readonly repeated: number;
  readonly length: number;
}

/** One kind of trouble. */
interface KindLog {
  readonly entries: Map<string, SubjectLog>;
  count: number;
  /** Characters of all entries. */
  length: number;
  /** The numbers of logged and left-out incidents since `loggingSinceMs`. */
  loggingSinceMs: number;
  logged: number;
  notLogged: number;
}

/** Subjects remembered per kind. Beyond it the oldest is forgotten, so that invented names cannot fill the memory. */
const MAX_SUBJECTS_PER_KIND = 500;
/** Texts of all kinds, each of which has its share; beyond it the oldest subject of the kind is forgotten. */
export const MAX_INCIDENT_BYTES = 4_000_000;
const BYTES_PER_CHARACTER = 2;
const CHARACTERS_PER_KIND = MAX_INCIDENT_BYTES / BYTES_PER_CHARACTER / INCIDENT_KINDS.length;
/** Subject and detail of an incident; a longer one is shortened. */
const MAX_TEXT_LENGTH = 500;
/** The example of an incident; a longer one is shortened. */
const MAX_EXAMPLE_LENGTH = 200;
/**
 * The log gets trouble with one subject once in this interval, not with every message, and a limited number of lines of
 * one kind.
 */
const LOG_INTERVAL_MS = 60_000;
/** Lines of one kind of incident in the log in each minute. The rest is told as a number. */
const MAX_LINES_PER_INTERVAL = 50;

/** All incidents for diagnostics: counted per kind, with the distinct faults per subject in words. */
export class IncidentLog implements Incidents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kinds = new Map<Incident['kind'], KindLog>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  report(reported: Incident): void {
    const { monotonicMs, wallMs } = this.#clock.now();
    const incident = cut(reported);
    const { kind, subject, detail } = incident;
    const kindLog = this.#kindLogOf(kind, monotonicMs);
    const known = kindLog.entries.get(subject);
    const { faults, isNew } = noteFault(known?.entry.faults ?? [], incident, wallMs);
    const isDue = isNew || monotonicMs - (known?.loggedMs ?? 0) >= LOG_INTERVAL_MS;
    const repeated = known?.repeated ?? 0;
    const entry = {
      kind,
      subject,
      gatewayId: incident.gatewayId ?? null,
      detail,
      count: (known?.entry.count ?? 0) + 1,
      firstAt: known?.entry.firstAt ?? wallMs,
      lastAt: wallMs,
      faults,
    };
    kindLog.count++;
    this.#keep(kindLog, known, {
      entry,
      loggedMs: isDue ? monotonicMs : (known?.loggedMs ?? 0),
      repeated: isDue ? 0 : repeated + 1,
      length: lengthOf(entry),
    });
    if (isDue) this.#tellLog(kindLog, incident, repeated, monotonicMs);
  }

  /** Those of which a caller may know, newest first. */
  entries(kind: Incident['kind'], sight: Sight = WHOLE_SIGHT): readonly IncidentEntry[] {
    const entries = [...(this.#kinds.get(kind)?.entries.values() ?? [])].map(({ entry }) => entry).reverse();
    if (kind !== OF_GATEWAYS || sight.isWhole) return entries;
    return entries.filter(({ gatewayId }) => gatewayId !== null && sight.ofGateway(gatewayId));
  }

  /** The trouble of that kind with one subject. */
  entry(kind: Incident['kind'], subject: string): IncidentEntry | undefined {
    return this.#kinds.get(kind)?.entries.get(ownText(subject, MAX_TEXT_LENGTH))?.entry;
  }

  /** Marks the faults of a subject as dismissed, or those alone that were meant for one machine; false if it has none. */
  dismiss({ kind, subject, meantFor }: Dismissal): boolean {
    const { entries } = this.#kinds.get(kind) ?? {};
    const known = entries?.get(ownText(subject, MAX_TEXT_LENGTH));
    const isMeant = (fault: DistinctFault) => meantFor === undefined || fault.meantFor === meantFor;
    if (entries === undefined || known === undefined || !known.entry.faults.some(isMeant)) return false;
    const faults = known.entry.faults.map((fault) => (isMeant(fault) ? { ...fault, isDismissed: true } : fault));
    entries.set(known.entry.subject, { ...known, entry: { ...known.entry, faults } });
    return true;
  }

  /** The number of each kind since the start; of trouble with gateways what the subjects that a caller may know of have. */
  counts(sight: Sight = WHOLE_SIGHT): ReadonlyMap<Incident['kind'], number> {
    const counts = new Map([...this.#kinds].map(([kind, { count }]) => [kind, count]));
    if (sight.isWhole || !counts.has(OF_GATEWAYS)) return counts;
    const seen = this.entries(OF_GATEWAYS, sight).reduce((sum, { count }) => sum + count, 0);
    return counts.set(OF_GATEWAYS, seen);
  }

  /** Keeps a subject as the last in the map. At a bound the first subjects in the map, the oldest, are removed. */
  #keep(kindLog: KindLog, known: SubjectLog | undefined, subjectLog: SubjectLog): void {
    const { entries } = kindLog;
    entries.delete(subjectLog.entry.subject);
    entries.set(subjectLog.entry.subject, subjectLog);
    kindLog.length += subjectLog.length - (known?.length ?? 0);
    for (const [subject, { length }] of entries) {
      if (entries.size <= MAX_SUBJECTS_PER_KIND && kindLog.length <= CHARACTERS_PER_KIND) return;
      entries.delete(subject);
      kindLog.length -= length;
    }
  }

  #kindLogOf(kind: Incident['kind'], nowMs: number): KindLog {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    const kindLog = { entries: new Map(), count: 0, length: 0, loggingSinceMs: nowMs, logged: 0, notLogged: 0 };
    this.#kinds.set(kind, kindLog);
    return kindLog;
  }

  /** Each line has the number of incidents of its subject, and of its kind, that were left out before it. */
  #tellLog(kindLog: KindLog, incident: Incident, repeated: number, nowMs: number): void {
    if (nowMs - kindLog.loggingSinceMs >= LOG_INTERVAL_MS) {
      kindLog.loggingSinceMs = nowMs;
      kindLog.logged = 0;
    }
    if (kindLog.logged >= MAX_LINES_PER_INTERVAL) {
      kindLog.notLogged += repeated + 1;
      return;
    }
    const { notLogged } = kindLog;
    kindLog.logged++;
    kindLog.notLogged = 0;
    const leftOut = { ...(repeated > 0 && { repeated }), ...(notLogged > 0 && { notLogged }) };
    this.#log.warn({ ...incident, ...leftOut }, 'incident');
  }
}

function cut({ kind, subject, gatewayId, detail, address, meantFor, topicRoot, example }: Incident): Incident {
  return {
    kind,
    subject: ownText(subject, MAX_TEXT_LENGTH),
    detail: ownSentence(detail, MAX_TEXT_LENGTH),
    ...(gatewayId !== undefined && { gatewayId }),
    ...(address !== undefined && { address }),
    ...(meantFor !== undefined && { meantFor }),
    ...(topicRoot !== undefined && { topicRoot: ownText(topicRoot, MAX_TEXT_LENGTH) }),
    ...(example !== undefined && { example: ownText(example, MAX_EXAMPLE_LENGTH) }),
  };
}

function lengthOf({ subject, faults }: IncidentEntry): number {
  return subject.length + faults.reduce((sum, fault) => sum + faultLength(fault), 0);
}
