import { CodedError, foundText } from '../../domain/error.ts';
import type { Incidents } from '../ports.ts';
import type { MessageOrigin } from './device-ports.ts';
import type { MachineSearch } from './machine-search.ts';
import { addressOf } from './message-notes.ts';

/** A topic of an unknown device. `topicRoot` is the probable TopicRoot of the device; null if the topic does not have one. */
export interface StrangeTopic {
  readonly topic: string;
  readonly topicRoot: string | null;
}

/** Reports devices that are not set up, so that a person can take them in (D-08). */
export class UnknownDevices {
  readonly #incidents: Incidents;
  readonly #names: MachineSearch<string>;

  constructor(incidents: Incidents, names: MachineSearch<string>) {
    this.#incidents = incidents;
    this.#names = names;
  }

  /** Gives the refusal for the device. `on` is null where the topic is a machine's, and over HTTP. */
  report(machineId: string, origin: MessageOrigin, on: StrangeTopic | null = null): CodedError {
    const meant = this.#names.find(machineId);
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    this.#incidents.report({
      kind: 'unknownDevice',
      subject: machineId,
      detail: `seen, not configured${hint}${on === null ? '' : `; it publishes on ${on.topic}`}`,
      ...(meant !== null && { meantFor: meant }),
      ...(on !== null && on.topicRoot !== null && { topicRoot: on.topicRoot }),
      ...addressOf(origin),
    });
    const remedy = hint === '' ? '; set it up on the page under Admin, Machines' : hint;
    return new CodedError(
      'unknown-machine',
      `machineId: found ${foundText(machineId)}, expected the id of a configured machine${remedy}`,
    );
  }
}
