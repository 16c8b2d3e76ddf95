import { parseJsonObject } from '../../domain/json/json.ts';
import type { Decision } from '../../domain/machine/decision.ts';
import type { StatusSample } from '../../domain/sync/status-sample.ts';
import { isoTime } from '../../domain/time.ts';
import { ownText } from '../../runtime/own-text.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { Commanded } from './sync-status-ports.ts';

export interface CommandComparisonOptions {
  readonly decisionOf: (machineId: string) => Decision | null;
  readonly clock: Clock;
  readonly incidents: Incidents;
}

/** A machine for which the central server's command differs from this gateway's. */
export interface CommandDifference {
  readonly machineId: string;
  readonly ours: Commanded;
  readonly theirs: Commanded;
  /** The time of its beginning, ISO 8601. */
  readonly since: string;
}

/** An older status says nothing about the present decision. */
const PRESENT_MS = 2_000;
/** Machines with a different command at the server. More are not listed. */
const MAX_DIFFERENCES = 1_000;
/** Characters of the server's message that are compared and shown. */
const MAX_MESSAGE = 1_000;

/** Compares the central server's commands with our decisions and shows the differences, without any effect (D-28). */
export class CommandComparison {
  readonly #options: CommandComparisonOptions;
  readonly #differences = new Map<string, CommandDifference>();

  constructor(options: CommandComparisonOptions) {
    this.#options = options;
  }

  compare({ machineId, at }: StatusSample, command: string): void {
    const { decisionOf, clock, incidents } = this.#options;
    const { wallMs } = clock.now();
    if (wallMs - at > PRESENT_MS) return;
    const ours = decisionOf(machineId);
    const theirs = decisionIn(command);
    if (ours === null || theirs === null || isSame(ours, theirs)) {
      this.#differences.delete(machineId);
      return;
    }
    const known = this.#differences.get(machineId);
    if (known === undefined && this.#differences.size >= MAX_DIFFERENCES) return;
    this.#differences.set(machineId, { machineId, ours, theirs, since: known?.since ?? isoTime(wallMs) });
    if (known !== undefined && isSame(known.theirs, theirs) && isSame(known.ours, ours)) return;
    const detail = `the central server would command ${told(theirs)}, this gateway commands ${told(ours)}`;
    incidents.report({ kind: 'upstream', subject: machineId, detail });
  }

  differences(): readonly CommandDifference[] {
    return [...this.#differences.values()];
  }
}

function isSame(one: Commanded, other: Commanded): boolean {
  return (
    one.runEnabled === other.runEnabled &&
    one.attentionNeeded === other.attentionNeeded &&
    one.message === other.message
  );
}

function told({ runEnabled, attentionNeeded, message }: Commanded): string {
  return JSON.stringify({ runEnabled, attentionNeeded, message });
}

function decisionIn(text: string): Commanded | null {
  const command = parseJsonObject(text);
  if (typeof command?.runEnabled !== 'boolean') return null;
  const message = typeof command.message === 'string' ? ownText(command.message, MAX_MESSAGE) : null;
  return { runEnabled: command.runEnabled, attentionNeeded: command.attentionNeeded === true, message };
}
