import { CodedError, foundText, invalidInput } from '../../domain/error.ts';
import { errorMessage, errorStack } from '../../domain/error-text.ts';
import { jsonDepthExceeds, MAX_JSON_DEPTH } from '../../domain/json/json-depth.ts';
import { isJsonObject } from '../../domain/json/json-object.ts';
import { countersWentOn } from '../../domain/machine/counters/counters.ts';
import { type Decision, INTERNAL_ERROR_DECISION } from '../../domain/machine/decision.ts';
import type { MachineId } from '../../domain/machine/machine-id.ts';
import { readPayloadText } from '../../domain/machine/status/payload-text.ts';
import { type FullStatus, type KnownStatus, parseStatus } from '../../domain/machine/status/status.ts';
import { parseStatusField } from '../../domain/machine/status/status-topic.ts';
import { MAX_TEXT_LENGTH, readSwitch, SWITCH_RULE } from '../../domain/machine/status/status-values.ts';
import type { Now } from '../../domain/time.ts';
import { readVariable, readVariables, type VariableValue } from '../../domain/variable/read-variables.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { PublicationReceipt, Store } from '../store-ports.ts';
import type { DeviceInbox, MessageOrigin, StatusAnswer } from './device-ports.ts';
import { KeptMessage } from './kept-message.ts';
import { type HeldStatus, holdsAny, type LiveMachine } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';

export interface DeviceInboxOptions {
  readonly registry: MachineRegistry;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly shiftDateAt: (wallMs: number) => string;
}

type TakenAnswer = Exclude<StatusAnswer, { kind: 'held' }>;

/** Takes in what devices say: status, single fields, variables, presence. Each message is dealt with at once. */
export class DeviceInboxFlow implements DeviceInbox {
  readonly #options: DeviceInboxOptions;

  constructor(options: DeviceInboxOptions) {
    this.#options = options;
  }

  decision(machineId: MachineId): Decision | null {
    return this.#options.registry.get(machineId)?.state.decision ?? null;
  }

  status(machineId: MachineId, text: string, { duplicate }: MessageOrigin): StatusAnswer | CodedError {
    const live = this.#heard(machineId);
    if (live === undefined) return this.#unknown(machineId);
    const now = this.#options.clock.now();
    this.#keepMessage(live, text, 'mqtt', now);
    this.#noteTolerated(machineId, text);
    // A malformed status neither uses the rate limit nor replaces a held status.
    const status = ownStatus(text, live.machine.machineId);
    if (status instanceof CodedError) {
      this.#malformed(machineId, status.message);
      return status;
    }
    if (!live.statusGate.pass(now.monotonicMs)) {
      this.#hold(live, { transport: 'mqtt', status, duplicate }, now);
      return { kind: 'held', decision: live.state.decision };
    }
    this.#supersedeHeld(live, status, now);
    return this.#take(live, status, duplicate, now, 'nobody');
  }

  namedStatus(text: string): { readonly machineId: MachineId; readonly answer: StatusAnswer } | CodedError {
    const body = parseJson(text);
    if (body instanceof CodedError) return body;
    const parsed = parseStatus(body);
    if (!parsed.ok) return invalidInput(parsed.faults);
    const { status } = parsed;
    const live = this.#heard(status.machineId);
    if (live === undefined) return this.#unknown(status.machineId);
    const now = this.#options.clock.now();
    this.#keepMessage(live, text, 'http', now);
    const { machineId } = status;
    this.#noteTolerated(machineId, text);
    if (!live.statusGate.pass(now.monotonicMs)) {
      this.#hold(live, { transport: 'http', status, duplicate: false }, now);
      return { machineId, answer: { kind: 'held', decision: live.state.decision } };
    }
    this.#supersedeHeld(live, status, now);
    return { machineId, answer: this.#take(live, status, false, now, 'all') };
  }

  statusField(machineId: MachineId, fieldName: string, text: string, { duplicate }: MessageOrigin): void {
    const live = this.#heard(machineId);
    if (live === undefined) return;
    const now = this.#options.clock.now();
    const isMalformed = text.length > MAX_TEXT_LENGTH;
    if (isMalformed || (!holdsAny(live) && live.fieldGate.pass(now.monotonicMs))) {
      this.#takeField(live, fieldName, text, duplicate, now);
      return;
    }
    live.heldFields.delete(fieldName);
    if (live.heldFields.size < MAX_HELD_FIELDS) live.heldFields.set(fieldName, { text, duplicate });
    this.#countShed(live);
  }

  async variables(machineId: MachineId, text: string, receipt: PublicationReceipt | null): Promise<void> {
    const live = this.#options.registry.get(machineId);
    if (live === undefined) return;
    this.#noteTolerated(machineId, text);
    const body = parseJson(text);
    if (body instanceof CodedError || !isJsonObject(body)) {
      this.#malformed(
        machineId,
        body instanceof CodedError ? body.message : `vars: found ${foundText(body)}, expected a JSON object`,
      );
      return;
    }
    await this.#store(live, readVariables(body, live.tracked), receipt);
  }

  async variable(machineId: MachineId, name: string, text: string, receipt: PublicationReceipt | null): Promise<void> {
    const live = this.#options.registry.get(machineId);
    if (live === undefined) return;
    this.#noteTolerated(machineId, text);
    const value = readVariable(name, text, live.tracked);
    if (value !== null) await this.#store(live, [value], receipt);
  }

  async namedVariables(text: string): Promise<CodedError | null> {
    const body = parseJson(text);
    if (body instanceof CodedError) return body;
    if (!isJsonObject(body)) return invalidInput([{ path: 'body', found: foundText(body), expected: 'a JSON object' }]);
    const named = machineIdOf(body);
    if (typeof named.value !== 'string') {
      return invalidInput([
        { path: 'machineId', found: foundText(named.value), expected: 'the id of a configured machine' },
      ]);
    }
    const live = this.#options.registry.get(named.value);
    if (live === undefined) return this.#unknown(named.value);
    this.#noteTolerated(named.value, text);
    const { [named.key]: _, ...values } = body;
    await this.#store(live, readVariables(values, live.tracked), null);
    return null;
  }

  presence(machineId: MachineId, topic: 'online' | 'lwt', text: string): void {
    const live = this.#options.registry.get(machineId);
    if (live === undefined) return;
    this.#noteTolerated(machineId, text);
    const here = readSwitch(text);
    if (here === null) {
      this.#malformed(machineId, `${topic}: found ${foundText(text)}, expected ${SWITCH_RULE}`);
      return;
    }
    if (topic === 'lwt' && here) return;
    const connection = here ? 'online' : 'offline';
    if (live.connection === connection) return;
    live.connection = connection;
    live.unsaved = 'facts';
    this.#options.registry.noteWake(live);
    this.#options.registry.announce(live);
  }

  /** Takes what a device sent too fast, now that its turn has come: fields that are held came after a held status. */
  takeHeld(live: LiveMachine, now: Now): void {
    if (live.heldStatus !== null) {
      if (!live.statusGate.pass(now.monotonicMs)) return;
      this.#takeHeldStatus(live, live.heldStatus, now);
    }
    for (const [fieldName, { text, duplicate }] of live.heldFields) {
      if (!live.fieldGate.pass(now.monotonicMs)) break;
      live.heldFields.delete(fieldName);
      this.#takeField(live, fieldName, text, duplicate, now);
    }
  }

  #takeHeldStatus(live: LiveMachine, held: HeldStatus, now: Now): void {
    live.heldStatus = null;
    if (held.transport === 'http') {
      this.#take(live, held.status, held.duplicate, now, 'all');
      return;
    }
    const { decision } = this.#take(live, held.status, held.duplicate, now, 'nobody');
    this.#options.registry.send(live.state.machineId, decision);
  }

  #heard(machineId: string): LiveMachine | undefined {
    this.#options.registry.inputs++;
    return this.#options.registry.get(machineId);
  }

  #take(live: LiveMachine, status: FullStatus, duplicate: boolean, now: Now, tell: 'nobody' | 'all'): TakenAnswer {
    try {
      return {
        kind: 'command',
        decision: this.#options.registry.apply(live, { type: 'status', status, duplicate }, now, tell),
      };
    } catch (error) {
      this.#fail(live, error);
      return { kind: 'failed', decision: INTERNAL_ERROR_DECISION };
    }
  }

  #takeField(live: LiveMachine, fieldName: string, text: string, duplicate: boolean, now: Now): void {
    this.#noteTolerated(live.machine.machineId, text);
    const parsed = parseStatusField(fieldName, text);
    if (!parsed.ok) {
      this.#malformed(live.machine.machineId, invalidInput(parsed.faults).message);
      return;
    }
    this.#keepMessage(live, `status/${fieldName} ${text}`, 'mqtt', now);
    const { update } = parsed;
    if (update.field === 'machineId') {
      if (update.value !== live.machine.machineId)
        this.#malformed(live.machine.machineId, `status/machineId: found ${foundText(update.value)}`);
      return;
    }
    try {
      this.#options.registry.apply(live, { type: 'field', update, duplicate }, now, 'bits');
    } catch (error) {
      this.#fail(live, error);
    }
  }

  async #store(live: LiveMachine, values: readonly VariableValue[], receipt: PublicationReceipt | null): Promise<void> {
    if (values.length === 0) return;
    const at = Math.round(this.#options.clock.now().wallMs);
    const shiftDate = this.#options.shiftDateAt(at);
    const { machineId } = live.machine;
    const points = values.map(({ name, value }) => ({ machineId, name, at, shiftDate, value }));
    await this.#options.store.write([{ kind: 'variables', points, receipt }]);
  }

  #hold(live: LiveMachine, held: HeldStatus, now: Now): void {
    this.#supersedeHeld(live, held.status, now);
    live.heldStatus = held;
    this.#countShed(live);
  }

  /**
   * A whole status replaces anything that was held before it (D-01), except for counts around a reboot: no
   * later message tells that, so the last status before it and the first one after it are taken too (D-12). One that was
   * sent again may be of an earlier boot, and single fields are not kept apart by boot: neither is taken early.
   */
  #supersedeHeld(live: LiveMachine, next: FullStatus, now: Now): void {
    const held = live.heldStatus;
    live.heldStatus = null;
    if (live.heldFields.size > 0) live.heldFields.clear();
    if (held === null || held.duplicate || (wentOn(live.state.known, held.status) && wentOn(held.status, next))) return;
    if (!live.rebootGate.pass(now.monotonicMs)) return;
    this.#take(live, held.status, held.duplicate, now, 'all');
  }

  #countShed(live: LiveMachine): void {
    live.shedMessages++;
    this.#options.registry.noteWake(live);
    this.#options.incidents.report({
      kind: 'rateLimited',
      subject: live.machine.machineId,
      detail: 'sends faster than devices.maxUpdatesPerSecond',
    });
  }

  #keepMessage(live: LiveMachine, text: string, transport: 'mqtt' | 'http', now: Now): void {
    if (live.lastMessage === null) live.lastMessage = new KeptMessage(text, now.wallMs, transport);
    else live.lastMessage.replace(text, now.wallMs, transport);
  }

  #noteTolerated(subject: string, text: string): void {
    const payload = readPayloadText(text);
    if (payload.kind !== 'tolerated') return;
    this.#options.incidents.report({ kind: 'tolerated', subject, detail: `sends payloads with ${payload.taken}` });
  }

  #malformed(subject: string, detail: string): void {
    this.#options.incidents.report({ kind: 'malformed', subject, detail });
  }

  #fail(live: LiveMachine, error: unknown): void {
    const detail = errorStack(error);
    this.#options.incidents.report({ kind: 'internal', subject: live.machine.machineId, detail });
  }

  #unknown(machineId: string): CodedError {
    this.#options.incidents.report({ kind: 'unknownDevice', subject: machineId, detail: 'seen, not configured' });
    return new CodedError(
      'unknown-machine',
      `machineId: found ${foundText(machineId)}, expected the id of a configured machine`,
    );
  }
}

/** What an MQTT client says on the topic of that machine, or why it is no status of it. */
function ownStatus(text: string, machineId: MachineId): FullStatus | CodedError {
  const body = parseJson(text);
  if (body instanceof CodedError) return body;
  const parsed = parseStatus(body);
  if (!parsed.ok) return invalidInput(parsed.faults);
  if (parsed.status.machineId === machineId) return parsed.status;
  return invalidInput([{ path: 'machineId', found: foundText(parsed.status.machineId), expected: machineId }]);
}

/** All spellings of all fields fit in, with room for unknown names. */
const MAX_HELD_FIELDS = 64;

function wentOn(before: KnownStatus, after: FullStatus): boolean {
  return after.mSecSinceBoot >= (before.mSecSinceBoot ?? 0) && countersWentOn(before, after);
}

function parseJson(payload: string): unknown {
  const read = readPayloadText(payload);
  if (read.kind === 'utf-16') return invalidInput([{ path: 'body', found: 'UTF-16', expected: 'JSON in UTF-8' }]);
  const text = read.kind === 'tolerated' ? read.text : payload;
  if (jsonDepthExceeds(text)) {
    return invalidInput([{ path: 'body', found: 'deeper nesting', expected: `at most ${MAX_JSON_DEPTH} levels` }]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    return new CodedError('invalid-input', `body: invalid JSON: ${errorMessage(error)}`);
  }
}

/** The key that names the machine in a variables body, in any spelling of machineId (DEV-03). */
function machineIdOf(body: Readonly<Record<string, unknown>>): { readonly key: string; readonly value: unknown } {
  if (Object.hasOwn(body, 'machineId')) return { key: 'machineId', value: body.machineId };
  const key = Object.keys(body).find((name) => /^(machine|device)[-_]?id$/i.test(name)) ?? 'machineId';
  return { key, value: Object.hasOwn(body, key) ? body[key] : undefined };
}
