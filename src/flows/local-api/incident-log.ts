import type { Clock, Incident, Incidents, Log } from '../ports.ts';

/** One kind of trouble with one subject, however often it came. Times are wall-clock milliseconds since 1970. */
export interface IncidentEntry extends Incident {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** One kind of trouble. */
interface KindLog {
  readonly entries: Map<string, IncidentEntry & { readonly loggedMs: number }>;
  count: number;
  /** What the log got of it since `loggingSinceMs`, and what it did not get. */
  loggingSinceMs: number;
  logged: number;
  notLogged: number;
}

/** Subjects remembered per kind: a flood of invented names pushes out the oldest, never the process. */
const MAX_SUBJECTS_PER_KIND = 500;
const MAX_TEXT_LENGTH = 500;
/** The log gets trouble with one subject once in a while, not with every message, and of one kind so many lines at most. */
const LOG_INTERVAL_MS = 60_000;
const MAX_LINES_PER_INTERVAL = 50;

/** Everything that went wrong, to be read in diagnostics: counted per kind, the newest per subject kept in words. */
export class IncidentLog implements Incidents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kinds = new Map<Incident['kind'], KindLog>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  report(incident: Incident): void {
    const { monotonicMs, wallMs } = this.#clock.now();
    const kindLog = this.#kindLogOf(incident.kind, monotonicMs);
    const subject = incident.subject.slice(0, MAX_TEXT_LENGTH);
    const detail = incident.detail.slice(0, MAX_TEXT_LENGTH);
    const known = kindLog.entries.get(subject);
    const isDue = known === undefined || monotonicMs - known.loggedMs >= LOG_INTERVAL_MS;
    kindLog.count++;
    kindLog.entries.delete(subject);
    kindLog.entries.set(subject, {
      kind: incident.kind,
      subject,
      detail,
      count: (known?.count ?? 0) + 1,
      firstAt: known?.firstAt ?? wallMs,
      lastAt: wallMs,
      loggedMs: isDue ? monotonicMs : known.loggedMs,
    });
    bound(kindLog);
    if (isDue) this.#tellLog(kindLog, { kind: incident.kind, subject, detail }, monotonicMs);
  }

  /** Newest first. */
  entries(kind: Incident['kind']): readonly IncidentEntry[] {
    return [...(this.#kinds.get(kind)?.entries.values() ?? [])].reverse();
  }

  /** How often each kind came since the start. */
  counts(): ReadonlyMap<Incident['kind'], number> {
    return new Map([...this.#kinds].map(([kind, { count }]) => [kind, count]));
  }

  #kindLogOf(kind: Incident['kind'], nowMs: number): KindLog {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    const kindLog = { entries: new Map(), count: 0, loggingSinceMs: nowMs, logged: 0, notLogged: 0 };
    this.#kinds.set(kind, kindLog);
    return kindLog;
  }

  #tellLog(kindLog: KindLog, incident: Incident, nowMs: number): void {
    if (nowMs - kindLog.loggingSinceMs >= LOG_INTERVAL_MS) {
      kindLog.loggingSinceMs = nowMs;
      kindLog.logged = 0;
    }
    if (kindLog.logged >= MAX_LINES_PER_INTERVAL) {
      kindLog.notLogged++;
      return;
    }
    const { notLogged } = kindLog;
    kindLog.logged++;
    kindLog.notLogged = 0;
    this.#log.warn({ ...incident, ...(notLogged > 0 && { notLogged }) }, 'incident');
  }
}

function bound({ entries }: KindLog): void {
  if (entries.size <= MAX_SUBJECTS_PER_KIND) return;
  const oldest = entries.keys().next();
  if (oldest.done === false) entries.delete(oldest.value);
}
