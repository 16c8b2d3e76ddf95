import type { SettleQueries } from '../../../flows/forward/settle-ports.ts';
import type { OpenQuestions } from './questions.ts';

/** Answers of the central server that settle what was sent, handed to the store thread. */
export function settleQueries(ask: OpenQuestions['ask']): SettleQueries {
  return {
    isIn: (bytes, expected) => ask('isIn', bytes, expected),
    profilePage: (bytes, sent, from) => ask('profilePage', bytes, sent, from),
  };
}
