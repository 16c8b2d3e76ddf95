import type { Decision } from '../../../domain/machine/decision.ts';

/** A Command as JSON (interface.md, Command), written by hand because most answers are commands (DEV-19). */
export function commandJson(machineId: string | null, decision: Decision, timestamp: string): string {
  const { runEnabled, attentionNeeded, message } = decision;
  const named = machineId === null ? '' : `"machineId":"${machineId}",`;
  const said = message === null ? 'null' : `"${message}"`;
  return `{${named}"runEnabled":${runEnabled},"attentionNeeded":${attentionNeeded},"message":${said},"timestamp":"${timestamp}"}`;
}
