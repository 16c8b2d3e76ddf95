import type { Clock, Incident, Incidents, Log } from '../ports.ts';

/** One kind of trouble with one subject, however often it came. Times are wall-clock milliseconds since 1970. */
export interface IncidentEntry extends Incident {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** One kind of trouble. */
interface Chapter {
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
export class IncidentBook implements Incidents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #chapters = new Map<Incident['kind'], Chapter>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  report(incident: Incident): void {
    const { monotonicMs, wallMs } = this.#clock.now();
    const chapter = this.#chapterOf(incident.kind, monotonicMs);
    const subject = incident.subject.slice(0, MAX_TEXT_LENGTH);
    const detail = incident.detail.slice(0, MAX_TEXT_LENGTH);
    const known = chapter.entries.get(subject);
    const isDue = known === undefined || monotonicMs - known.loggedMs >= LOG_INTERVAL_MS;
    chapter.count++;
    chapter.entries.delete(subject);
    chapter.entries.set(subject, {
      kind: incident.kind,
      subject,
      detail,
      count: (known?.count ?? 0) + 1,
      firstAt: known?.firstAt ?? wallMs,
      lastAt: wallMs,
      loggedMs: isDue ? monotonicMs : known.loggedMs,
    });
    bound(chapter);
    if (isDue) this.#tellLog(chapter, { kind: incident.kind, subject, detail }, monotonicMs);
  }

  /** Newest first. */
  entries(kind: Incident['kind']): readonly IncidentEntry[] {
    return [...(this.#chapters.get(kind)?.entries.values() ?? [])].reverse();
  }

  /** How often each kind came since the start. */
  counts(): ReadonlyMap<Incident['kind'], number> {
    return new Map([...this.#chapters].map(([kind, { count }]) => [kind, count]));
  }

  #chapterOf(kind: Incident['kind'], nowMs: number): Chapter {
    const known = this.#chapters.get(kind);
    if (known !== undefined) return known;
    const chapter = { entries: new Map(), count: 0, loggingSinceMs: nowMs, logged: 0, notLogged: 0 };
    this.#chapters.set(kind, chapter);
    return chapter;
  }

  #tellLog(chapter: Chapter, incident: Incident, nowMs: number): void {
    if (nowMs - chapter.loggingSinceMs >= LOG_INTERVAL_MS) {
      chapter.loggingSinceMs = nowMs;
      chapter.logged = 0;
    }
    if (chapter.logged >= MAX_LINES_PER_INTERVAL) {
      chapter.notLogged++;
      return;
    }
    const { notLogged } = chapter;
    chapter.logged++;
    chapter.notLogged = 0;
    this.#log.warn({ ...incident, ...(notLogged > 0 && { notLogged }) }, 'incident');
  }
}

function bound({ entries }: Chapter): void {
  if (entries.size <= MAX_SUBJECTS_PER_KIND) return;
  const oldest = entries.keys().next();
  if (oldest.done === false) entries.delete(oldest.value);
}
