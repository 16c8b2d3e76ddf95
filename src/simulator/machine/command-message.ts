import { jsonOrNull } from '../../domain/json/json.ts';
import type { Command } from './simulated-state.ts';

/** The command that a device has to assume when it cannot read its answer (interface.md, Errors). */
const UNREADABLE_COMMAND: Command = { runEnabled: false, attentionNeeded: true, message: null };

/** Reads a command message. Anything else counts as not allowed and attention needed. */
export function readCommand(text: string): Command {
  const body = jsonOrNull(text);
  if (typeof body !== 'object' || body === null || !('runEnabled' in body) || !('attentionNeeded' in body)) {
    return UNREADABLE_COMMAND;
  }
  const { runEnabled, attentionNeeded } = body;
  if (typeof runEnabled !== 'boolean' || typeof attentionNeeded !== 'boolean') return UNREADABLE_COMMAND;
  const message = 'message' in body && typeof body.message === 'string' ? body.message : null;
  return { runEnabled, attentionNeeded, message };
}
