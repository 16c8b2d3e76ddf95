import { words } from '../words/words.ts';

/** The broker gives a client without an id one of its own, which says nothing to people. */
const GIVEN_BY_BROKER = /^aedes_/;

/** The name of the sender of a message: a client id, a machine, or an address. */
export function senderName(subject: string): string {
  return GIVEN_BY_BROKER.test(subject) ? words.value.events.unnamedClient : subject;
}
