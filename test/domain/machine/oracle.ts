import type { Flags } from './plant-model.ts';

const TIMEOUT_MS = 10_000;

/** The expected results in the plainest form: one record of the last values, and sums. */
export class Oracle {
  readonly spent = { runningMs: 0, stoppedMs: 0, downMs: 0, offlineMs: 0, faultMs: 0, overrideMs: 0 };
  elapsedMs = 0;
  private said: Flags | null = null;
  private quietMs = 0;
  private isWatched = false;
  private isDown = false;
  private waiting = 0;
  private partSelected = false;

  /** Nothing is counted before the first message, nor after a restart until something is heard or ten seconds pass. */
  pass(durationMs: number): void {
    if (this.said === null) return;
    const online = Math.max(0, Math.min(durationMs, TIMEOUT_MS - this.quietMs));
    this.quietMs += durationMs;
    if (this.isWatched) this.count(this.said, online);
    this.spent.offlineMs += durationMs - online;
    this.elapsedMs += durationMs - (this.isWatched ? 0 : online);
    if (this.quietMs >= TIMEOUT_MS) this.isWatched = true;
  }

  hear(said: Flags | null): void {
    this.quietMs = 0;
    this.isWatched = true;
    if (said === null) return;
    if (said.running) this.isDown = false;
    else if (this.said?.running === true) {
      this.isDown = true;
      this.waiting++;
    }
    this.said = said;
  }

  restart(): void {
    this.quietMs = 0;
    this.isWatched = false;
  }

  select(selected: boolean): void {
    this.partSelected = selected;
  }

  categorizeAll(): void {
    this.waiting = 0;
  }

  decision() {
    return {
      runEnabled: this.message() === null,
      attentionNeeded: this.said?.fault ?? false,
      message: this.message(),
    };
  }

  private message(): string | null {
    if (this.said?.power !== true) return 'Machine power is off';
    if (!this.partSelected) return 'Part not selected';
    if (this.quietMs >= TIMEOUT_MS) return 'Device not responding';
    return this.waiting > 0 ? 'Downtime categorization required' : null;
  }

  private count(said: Flags, durationMs: number): void {
    const activity = said.running ? 'runningMs' : this.isDown ? 'downMs' : 'stoppedMs';
    this.spent[activity] += durationMs;
    if (said.fault) this.spent.faultMs += durationMs;
    if (said.override) this.spent.overrideMs += durationMs;
  }
}
