import { type CodedError, foundText, invalidInput } from '../../domain/error.ts';
import { errorStack } from '../../domain/error-text.ts';
import { countersWentOn } from '../../domain/machine/counters/counters.ts';
import { isIgnored } from '../../domain/machine/counters/senders.ts';
import { type Decision, INTERNAL_ERROR_DECISION } from '../../domain/machine/decision.ts';
import { causeOf, type DecisionCause } from '../../domain/machine/decision-cause.ts';
import type { MachineId } from '../../domain/machine/machine-names.ts';
import { namedMachine } from '../../domain/machine/status/payload.ts';
import {
  type FullStatus,
  type KnownStatus,
  loneValue,
  MAX_TEXT_LENGTH,
  ownStatus,
  readStatus,
  readSwitch,
  SWITCH_RULE,
} from '../../domain/machine/status/status.ts';
import { ownField } from '../../domain/machine/status/status-topic.ts';
import { type MeantTopic, nearestMachineId, nearestTopic } from '../../domain/plant/nearest-topic.ts';
import type { Now } from '../../domain/time.ts';
import { readNamedVariables } from '../../domain/variable/read-variables.ts';
import type { Clock, Incidents } from '../ports.ts';
import type { PublicationReceipt, Store } from '../store-ports.ts';
import type {
  DeviceInbox,
  MessageOrigin,
  MessageReport,
  RefusedMessage,
  StatusAnswer,
  TakenPresence,
  TakenVariables,
} from './device-ports.ts';
import { type HeldStatus, holdsAny, type LiveMachine, saveState } from './live-machine.ts';
import type { MachineRegistry } from './machine-registry.ts';
import { MachineSearch } from './machine-search.ts';
import { MessageNotes } from './message-notes.ts';
import type { HeardMessage } from './message-ring.ts';
import { UnknownDevices } from './unknown-devices.ts';
import { UnmatchedMessages } from './unmatched-messages.ts';
import { notStored, VariableMessages } from './variable-messages.ts';

export interface DeviceInboxOptions {
  readonly registry: MachineRegistry;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly incidents: Incidents;
  readonly shiftDateAt: (wallMs: number) => string;
}

type TakenAnswer = Exclude<StatusAnswer, { kind: 'held' }>;

/** Takes the messages of devices: status, single fields, variables, presence. Each message is handled at once. */
export class DeviceInboxFlow implements DeviceInbox {
  readonly #options: DeviceInboxOptions;
  readonly #notes: MessageNotes;
  readonly #unmatched: UnmatchedMessages;
  readonly #variables: VariableMessages;
  readonly #unknown: UnknownDevices;

  constructor(options: DeviceInboxOptions) {
    this.#options = options;
    this.#notes = new MessageNotes(options);
    this.#variables = new VariableMessages({ ...options, notes: this.#notes });
    const { incidents, registry, clock } = options;
    const names = new MachineSearch<string>({ clock, registry, search: nearestMachineId });
    const topics = new MachineSearch<MeantTopic>({ clock, registry, search: nearestTopic });
    this.#unknown = new UnknownDevices(incidents, names);
    const reports = { incidents, notes: this.#notes, unknown: this.#unknown };
    this.#unmatched = new UnmatchedMessages({ registry, ...reports, topics });
  }

  decision(machineId: MachineId): Decision | null {
    return this.#options.registry.get(machineId)?.state.decision ?? null;
  }

  cause(machineId: MachineId): DecisionCause['kind'] | null {
    const live = this.#options.registry.get(machineId);
    return live === undefined ? null : (causeOf(live.state, live.refused, live.since.decision)?.kind ?? null);
  }

  status(machineId: MachineId, text: string, origin: MessageOrigin): StatusAnswer | RefusedMessage {
    const live = this.#heard(machineId, origin);
    if (live === undefined) return { kind: 'refused', error: this.#unknown.report(machineId, origin) };
    const now = this.#options.clock.now();
    const message: HeardMessage = { topic: 'status', name: '', text, origin };
    this.#notes.noteTolerated(machineId, message);
    // A malformed status neither uses the rate limit nor replaces a held status.
    const read = ownStatus(text, live.machine.machineId);
    if (!read.ok) {
      const error = invalidInput(read.faults);
      this.#notes.refused(live, message, error.message);
      return { kind: 'refused', error };
    }
    return this.#takeOrHold(
      live,
      { status: read.status, duplicate: origin.duplicate, sender: origin, reply: origin.reply },
      message,
      now,
    );
  }

  namedStatus(
    text: string,
    origin: MessageOrigin,
  ): (StatusAnswer & { readonly machineId: MachineId }) | RefusedMessage {
    const message: HeardMessage = { topic: 'status', name: '', text, origin };
    const read = readStatus(text);
    if (!read.ok) return { kind: 'refused', error: this.#refuseNamed(invalidInput(read.faults), message) };
    const { status } = read;
    const { machineId } = status;
    const live = this.#heard(machineId, origin);
    if (live === undefined) return { kind: 'refused', error: this.#unknown.report(machineId, origin) };
    const now = this.#options.clock.now();
    this.#notes.noteTolerated(machineId, message);
    return {
      machineId,
      ...this.#takeOrHold(live, { status, duplicate: false, sender: origin, reply: undefined }, message, now),
    };
  }

  undecoded(topic: 'status' | 'vars', bytes: Buffer, refusal: CodedError, origin: MessageOrigin): void {
    // Names and ids are ASCII in every encoding that devices use.
    const text = bytes.toString('latin1');
    this.#refuseNamed(refusal, { topic, name: '', text, origin: { ...origin, raw: bytes } });
  }

  statusField(machineId: MachineId, fieldName: string, text: string, origin: MessageOrigin): MessageReport | null {
    const live = this.#heard(machineId, origin);
    if (live === undefined) return null;
    const now = this.#options.clock.now();
    const message: HeardMessage = { topic: 'status/', name: fieldName, text, origin };
    const isMalformed = text.length > MAX_TEXT_LENGTH;
    if (isMalformed || (!holdsAny(live) && live.fieldGate.pass(now.monotonicMs))) {
      return this.#takeField(live, fieldName, text, origin.duplicate, now, message);
    }
    this.#notes.note(live, message, 'held', TOO_FAST);
    live.heldFields.delete(fieldName);
    if (live.heldFields.size < MAX_HELD_FIELDS) live.heldFields.set(fieldName, { text, duplicate: origin.duplicate });
    this.#countShed(live);
    return null;
  }

  variables(
    machineId: MachineId,
    text: string,
    origin: MessageOrigin,
    receipt: PublicationReceipt | null,
  ): TakenVariables {
    const live = this.#heard(machineId, origin);
    return live === undefined ? notStored(null) : this.#variables.takeAll(live, text, origin, receipt);
  }

  variable(
    machineId: MachineId,
    name: string,
    text: string,
    origin: MessageOrigin,
    receipt: PublicationReceipt | null,
  ): TakenVariables {
    const live = this.#heard(machineId, origin);
    return live === undefined ? notStored(null) : this.#variables.takeOne(live, name, text, origin, receipt);
  }

  async namedVariables(text: string, origin: MessageOrigin): Promise<CodedError | null> {
    const message: HeardMessage = { topic: 'vars', name: '', text, origin };
    const body = readNamedVariables(text);
    if (!body.ok) return this.#refuseNamed(invalidInput(body.faults), message);
    const live = this.#heard(body.machineId, origin);
    if (live === undefined) return this.#unknown.report(body.machineId, origin);
    this.#notes.noteTolerated(body.machineId, message);
    await this.#variables.take(live, body.values, message, null).stored;
    return null;
  }

  unmatched(clientId: string, topic: string, text: string, origin: MessageOrigin): MessageReport | null {
    return this.#unmatched.take({ clientId, topic, text, origin });
  }

  presence(machineId: MachineId, topic: 'online' | 'lwt', text: string, origin: MessageOrigin): TakenPresence {
    const live = this.#options.registry.get(machineId);
    if (live === undefined) return UNCHANGED;
    const message: HeardMessage = { topic, name: '', text, origin: { ...origin, retain: false } };
    this.#notes.noteTolerated(machineId, message);
    const here = readSwitch(loneValue(text));
    if (here === null) {
      const detail = `${topic}: found ${foundText(text)}, expected ${SWITCH_RULE}`;
      this.#notes.malformedOf(live, message, detail);
      return { stored: null, report: { kind: 'refused', detail } };
    }
    const now = this.#options.clock.now();
    this.#notes.noteTaken(live, message, now);
    if (topic === 'lwt' && here) return UNCHANGED;
    if (!this.#options.registry.setConnection(live, here ? 'online' : 'offline')) return UNCHANGED;
    return { stored: this.#options.store.write([saveState(live, now.monotonicMs)]), report: null };
  }

  /** Takes the held messages of a device when its turn has come. Held fields came after a held status. */
  takeHeld(live: LiveMachine, now: Now): void {
    if (live.heldStatus !== null) {
      if (!live.statusGate.pass(now.monotonicMs)) return;
      this.#takeHeldStatus(live, live.heldStatus, now);
    }
    for (const [fieldName, { text, duplicate }] of live.heldFields) {
      if (!live.fieldGate.pass(now.monotonicMs)) break;
      live.heldFields.delete(fieldName);
      this.#takeField(live, fieldName, text, duplicate, now, null);
    }
  }

  #takeHeldStatus(live: LiveMachine, held: HeldStatus, now: Now): void {
    live.heldStatus = null;
    if (held.sender.transport === 'http') {
      this.#take(live, held, now, 'all');
      return;
    }
    const { decision } = this.#take(live, held, now, 'nobody');
    this.#options.registry.send(live.state.machineId, decision, held.reply);
  }

  #heard(machineId: string, { address }: MessageOrigin): LiveMachine | undefined {
    this.#options.registry.inputs++;
    const live = this.#options.registry.get(machineId);
    if (live === undefined) return undefined;
    if (address !== undefined) live.address = address;
    // A machine that sends is connected, also if it does not announce itself again after its last will.
    if (live.connection === 'offline') this.#options.registry.setConnection(live, 'online');
    return live;
  }

  #take(live: LiveMachine, { status, duplicate, sender }: HeldStatus, now: Now, tell: 'nobody' | 'all'): TakenAnswer {
    try {
      return {
        kind: 'command',
        decision: this.#options.registry.apply(live, { type: 'status', status, duplicate, sender }, now, tell),
      };
    } catch (error) {
      this.#fail(live, error);
      return { kind: 'failed', decision: INTERNAL_ERROR_DECISION };
    }
  }

  /** `message` is null if the field was held, and was noted when it came. */
  #takeField(
    live: LiveMachine,
    fieldName: string,
    text: string,
    duplicate: boolean,
    now: Now,
    message: HeardMessage | null,
  ): MessageReport | null {
    const { machineId } = live.machine;
    const heard = message ?? { topic: 'status/', name: fieldName, text, origin: HELD };
    this.#notes.noteTolerated(machineId, heard);
    const read = ownField(fieldName, text, machineId);
    if (!read.ok) {
      const detail = invalidInput(read.faults).message;
      this.#notes.refused(live, heard, detail);
      return { kind: 'refused', detail };
    }
    const { update } = read;
    if (message !== null) this.#notes.taken(live, message, now);
    if (update.field === 'machineId') return null;
    try {
      const sender = message?.origin ?? null;
      this.#options.registry.apply(live, { type: 'field', update, duplicate, sender }, now, 'bits');
    } catch (error) {
      this.#fail(live, error);
    }
    return null;
  }

  #takeOrHold(live: LiveMachine, said: HeldStatus, message: HeardMessage, now: Now): StatusAnswer {
    if (!live.statusGate.pass(now.monotonicMs)) {
      live.refused = null;
      this.#notes.note(live, message, 'held', TOO_FAST);
      this.#hold(live, said, now);
      return { kind: 'held', decision: live.state.decision };
    }
    if (isIgnored(live.state, said.status, said.sender, now)) this.#notes.note(live, message, 'ignored', SECOND_DEVICE);
    else this.#notes.taken(live, message, now);
    this.#supersedeHeld(live, said.status, now);
    return this.#take(live, said, now, said.sender.transport === 'mqtt' ? 'nobody' : 'all');
  }

  #hold(live: LiveMachine, held: HeldStatus, now: Now): void {
    this.#supersedeHeld(live, held.status, now);
    const { transport, clientId, address } = held.sender;
    // Not the sender itself, which is the origin of the message and holds its bytes.
    const sender = {
      transport,
      ...(clientId !== undefined && { clientId }),
      ...(address !== undefined && { address }),
    };
    live.heldStatus = { ...held, sender };
    this.#countShed(live);
  }

  /**
   * A whole status replaces every message that was held before it (D-01), except for counts around a reboot: no later
   * message has them, so the last status before the reboot and the first one after it are taken too (D-12). A status
   * that was sent again may belong to an earlier boot, and single fields are not separated by boot: neither is taken
   * early.
   */
  #supersedeHeld(live: LiveMachine, next: FullStatus, now: Now): void {
    const held = live.heldStatus;
    live.heldStatus = null;
    if (live.heldFields.size > 0) live.heldFields.clear();
    if (held === null || held.duplicate || (wentOn(live.state.known, held.status) && wentOn(held.status, next))) return;
    if (!live.rebootGate.pass(now.monotonicMs)) return;
    this.#take(live, held, now, 'all');
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

  #fail(live: LiveMachine, error: unknown): void {
    const detail = errorStack(error);
    this.#options.incidents.report({ kind: 'internal', subject: live.machine.machineId, detail });
  }

  /** A refusal is recorded under the machine that the body names, else under the sender's address. */
  #refuseNamed(refusal: CodedError, message: HeardMessage): CodedError {
    const named = namedMachine(message.text);
    const live = named === null ? undefined : this.#options.registry.get(named);
    if (live !== undefined) this.#notes.refused(live, message, refusal.message);
    else this.#notes.malformed(`http ${message.origin.address ?? 'unknown'}`, refusal.message, message);
    return refusal;
  }
}

const UNCHANGED: TakenPresence = { stored: null, report: null };

/** The origin of a field that waited for its turn; its real origin was noted when it came. */
const HELD: MessageOrigin = { transport: 'mqtt', duplicate: false };
const SECOND_DEVICE =
  'a second device sends under this machineId: nothing of it counts until the first one is silent for 10 s';
const TOO_FAST = 'faster than devices.maxUpdatesPerSecond: the newest is taken when its turn comes';

/** All spellings of all fields fit in, with room for unknown names. */
export const MAX_HELD_FIELDS = 64;

function wentOn(before: KnownStatus, after: FullStatus): boolean {
  return after.mSecSinceBoot >= (before.mSecSinceBoot ?? 0) && countersWentOn(before, after);
}
