import { CodedError, type Fault, invalidInput, tooMany } from '../../domain/error.ts';
import type { ConnectionEvent } from '../../domain/sync/connection-states.ts';
import { WorkQueue } from '../../domain/work-queue.ts';
import { discoverServer } from '../forward/discover-server.ts';
import type { CentralServer } from '../forward/upstream-ports.ts';
import type { Clock } from '../ports.ts';
import {
  type ChosenSettings,
  type Restart,
  SETTINGS_SECTIONS,
  type ServerAddress,
  type ServerTrial,
  type SettingsChange,
  type SettingsSection,
  type SettingsView,
  type ShiftSettings,
} from './settings-ports.ts';

export interface ChangeSettingsOptions {
  /** Faults that would keep the gateway from starting with these settings. */
  readonly judge: (chosen: ChosenSettings) => readonly Fault[];
  /** Keeps them on disk; the next start reads them. */
  readonly keep: (chosen: ChosenSettings) => Promise<void>;
  readonly connect: (server: ServerAddress) => Promise<CentralServer>;
  /** The settings that the gateway runs with. */
  readonly running: { readonly shifts: ShiftSettings; readonly upstream: { readonly url: string } | null };
  readonly fixed: readonly SettingsSection[];
  /** The settings that were chosen before this start. */
  readonly chosen: ChosenSettings;
  readonly clock: Clock;
  readonly restart: Restart;
}

/** Servers that may be tried at once. One more is answered with 429. */
const MAX_TRIALS = 4;

/** Settings that people choose at the page. They count from the next start on. */
export class ChangeSettings {
  readonly #options: ChangeSettingsOptions;
  readonly #atStart: ChosenSettings;
  #chosen: ChosenSettings;
  readonly #changes = new WorkQueue();
  readonly #listeners: (() => void)[] = [];
  #trials = 0;

  constructor(options: ChangeSettingsOptions) {
    this.#options = options;
    this.#atStart = options.chosen;
    this.#chosen = options.chosen;
  }

  view(): SettingsView {
    const { running, fixed, restart } = this.#options;
    const { shifts, upstream } = this.#chosen;
    const isTaken = this.#atStart.upstream !== undefined && upstream === undefined;
    const server = upstream ?? (isTaken ? null : running.upstream);
    return {
      ...(shifts ?? running.shifts),
      upstream: server === null ? null : { url: server.url },
      fixed,
      chosen: SETTINGS_SECTIONS.filter((section) => this.#chosen[section] !== undefined),
      restartNeeded: JSON.stringify(this.#chosen) !== JSON.stringify(this.#atStart),
      restart,
    };
  }

  /** Those that count until the next start. */
  get runningShifts(): ShiftSettings {
    return this.#options.running.shifts;
  }

  /** Called after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Faults that would keep the gateway from starting after this change. */
  faultsOf(change: SettingsChange): readonly Fault[] {
    return this.#options.judge(withChange(this.#chosen, change));
  }

  /** Changes run one after the other. Each writes the whole file, with the sections of the changes before it. */
  change(change: SettingsChange): Promise<SettingsView> {
    return this.#changes.run(() => this.#change(change));
  }

  async #change(change: SettingsChange): Promise<SettingsView> {
    const section = this.#options.fixed.find((one) => change[one] !== undefined);
    if (section !== undefined) {
      throw new CodedError(
        'conflict',
        `${section}: it is set in the configuration file or the environment, change it there`,
      );
    }
    const faults = this.faultsOf(change);
    if (faults.length > 0) throw invalidInput(faults);
    const chosen = withChange(this.#chosen, change);
    await this.#options.keep(chosen);
    this.#chosen = chosen;
    for (const listener of this.#listeners) listener();
    return this.view();
  }

  /** Rejects with `invalid-input` without a valid address, and with `rate-limited` while others are tried. */
  async tryServer(address: ServerAddress): Promise<ServerTrial> {
    const faults = this.#options.judge({ upstream: address });
    if (faults.length > 0) throw invalidInput(faults);
    if (this.#trials >= MAX_TRIALS) {
      throw tooMany('servers to try', MAX_TRIALS);
    }
    this.#trials += 1;
    let server: CentralServer | undefined;
    try {
      server = await this.#options.connect(address);
      const startMs = this.#options.clock.now().monotonicMs;
      const event = await discoverServer(server);
      return trialOf(event, Math.round(this.#options.clock.now().monotonicMs - startMs));
    } finally {
      this.#trials -= 1;
      await server?.close();
    }
  }
}

/** Shifts first, so that equal settings are equal texts. */
function withChange(
  before: ChosenSettings,
  { shifts = before.shifts, upstream = before.upstream }: SettingsChange,
): ChosenSettings {
  return { ...(shifts && { shifts }), ...(upstream && { upstream }) };
}

function trialOf(event: ConnectionEvent, answeredInMs: number): ServerTrial {
  const detail = 'detail' in event ? event.detail : null;
  const trial = { answeredInMs, speaks: null, detail, code: codeIn(detail) };
  switch (event.type) {
    case 'offered':
      return { ...trial, outcome: 'answers', speaks: event.server };
    case 'unauthorized':
      return { ...trial, outcome: 'keyRefused' };
    case 'otherVersion':
      return { ...trial, outcome: 'otherVersion' };
    default:
      return { ...trial, outcome: isAboutCertificate(detail) ? 'wrongCertificate' : 'unreachable' };
  }
}

/** TLS reports such a fault only in words, and each of its sentences contains this word. */
function isAboutCertificate(detail: string | null): boolean {
  return detail !== null && /certificate/i.test(detail);
}

/** `ECONNREFUSED`, `CERT_HAS_EXPIRED` */
const CODE = /\b(?:E[A-Z]{3,}|[A-Z]+(?:_[A-Z0-9]+)+)\b/;

/** A deadline that has passed has no code of its own. A detail with `GET` quotes a server that answered, and has no code. */
function codeIn(detail: string | null): string | null {
  if (detail === null || detail.startsWith('GET ')) return null;
  return detail.startsWith('no answer within') ? 'ETIMEDOUT' : (CODE.exec(detail)?.[0] ?? null);
}
