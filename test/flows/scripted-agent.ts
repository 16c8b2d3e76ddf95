import type {
  LegacyAgent,
  LegacyLocation,
  LegacyOutcome,
  LegacyRequest,
} from '../../src/flows/warehouse/warehouse-ports.ts';

type Script = readonly (LegacyOutcome | LegacyLocation)[];

/** An agent that gives the set answers in order, and notes the requests. */
export class ScriptedAgent implements LegacyAgent {
  readonly asked: string[] = [];
  #script: (LegacyOutcome | LegacyLocation)[];

  constructor(...script: Script) {
    this.#script = [...script];
  }

  say(...script: Script): void {
    this.#script.push(...script);
  }

  async move({ coilId, location, operationId }: LegacyRequest): Promise<LegacyOutcome> {
    this.asked.push(`move ${coilId} to ${location} as ${operationId}`);
    const answer = this.#script.shift();
    if (answer === undefined || isSight(answer)) {
      throw new Error(`no answer to a move in the script: ${JSON.stringify(answer)}`);
    }
    return answer;
  }

  async locate(coilId: string): Promise<LegacyLocation> {
    this.asked.push(`locate ${coilId}`);
    const answer = this.#script.shift();
    if (answer !== undefined && isSight(answer)) return answer;
    throw new Error(`no answer to a look in the script: ${JSON.stringify(answer)}`);
  }

  async close(): Promise<void> {
    this.asked.push('close');
  }
}

const SIGHTS: readonly string[] = ['at', 'absent', 'unreachable', 'carriedOut', 'notSeen'];

function isSight(answer: LegacyOutcome | LegacyLocation): answer is LegacyLocation {
  return SIGHTS.includes(answer.kind);
}

export const APPLIED = { kind: 'applied' } as const;
export const REJECTED = { kind: 'rejected', message: 'coil is locked' } as const;
export const OFFLINE = { kind: 'offline', detail: 'connection refused' } as const;
export const FAILED = { kind: 'failed', detail: 'HTTP status 500' } as const;
export const UNCONFIRMED = { kind: 'unconfirmed', detail: 'no answer in time' } as const;
export const UNREACHABLE = { kind: 'unreachable', detail: 'no answer in time' } as const;
export const CARRIED_OUT = { kind: 'carriedOut' } as const;
export const NOT_SEEN = { kind: 'notSeen' } as const;
export const ABSENT = { kind: 'absent' } as const;
export const at = (location: string) => ({ kind: 'at', location }) as const;
