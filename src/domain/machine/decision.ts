/** The interface's messages, to the letter (interface.md, Command). */
export const MESSAGE = {
  powerOff: 'Machine power is off',
  noPart: 'Part not selected',
  notResponding: 'Device not responding',
  uncategorized: 'Downtime categorization required',
  internalError: 'Server error - grain unavailable',
} as const;

export type RuleMessage = (typeof MESSAGE)[keyof typeof MESSAGE];

/** The answer to a machine: `message` is null exactly when it may run. */
export type Decision =
  | { readonly runEnabled: true; readonly attentionNeeded: boolean; readonly message: null }
  | { readonly runEnabled: false; readonly attentionNeeded: boolean; readonly message: RuleMessage };

/** How long a command is valid (interface.md, Command): in MQTT 5 it expires by itself. */
export const COMMAND_LIFETIME_S = 60;

/** The facts that the rules use. */
export interface DecisionFacts {
  readonly machinePower: boolean | null;
  readonly partSelected: boolean;
  readonly responding: boolean;
  readonly uncategorizedDowntime: boolean;
  readonly fault: boolean | null;
}

/** The rules by name, for people and programs that ask for the state of each. */
export type RuleName = 'power' | 'part' | 'responding' | 'downtime';

interface Rule {
  readonly name: RuleName;
  readonly message: RuleMessage;
  readonly holds: (facts: DecisionFacts) => boolean;
}

/** The rules of runEnabled in their order of priority (interface.md, Command; DEV-08 to DEV-12). */
export const RULES: readonly Rule[] = [
  { name: 'power', message: MESSAGE.powerOff, holds: (facts) => facts.machinePower === true },
  { name: 'part', message: MESSAGE.noPart, holds: (facts) => facts.partSelected },
  { name: 'responding', message: MESSAGE.notResponding, holds: (facts) => facts.responding },
  { name: 'downtime', message: MESSAGE.uncategorized, holds: (facts) => !facts.uncategorizedDowntime },
];

/**
 * Whether a machine may run, and else the message of the first rule that fails. A fault asks for attention and changes
 * nothing else (DEV-13); an override changes nothing (DEV-14). Equal decisions are one object, so `!==` tells a change.
 */
export function decide(facts: DecisionFacts): Decision {
  const verdicts = facts.fault === true ? ATTENTION : CALM;
  for (const rule of RULES) {
    if (!rule.holds(facts)) return verdicts.refused[rule.message];
  }
  return verdicts.allowed;
}

interface Verdicts {
  readonly allowed: Decision;
  readonly refused: Readonly<Record<RuleMessage, Decision>>;
}

function verdicts(attentionNeeded: boolean): Verdicts {
  const refuse = (message: RuleMessage): Decision => Object.freeze({ runEnabled: false, attentionNeeded, message });
  return {
    allowed: Object.freeze({ runEnabled: true, attentionNeeded, message: null }),
    refused: {
      [MESSAGE.powerOff]: refuse(MESSAGE.powerOff),
      [MESSAGE.noPart]: refuse(MESSAGE.noPart),
      [MESSAGE.notResponding]: refuse(MESSAGE.notResponding),
      [MESSAGE.uncategorized]: refuse(MESSAGE.uncategorized),
      [MESSAGE.internalError]: refuse(MESSAGE.internalError),
    },
  };
}

const CALM = verdicts(false);
const ATTENTION = verdicts(true);

/** The answer to a machine when the gateway itself failed: safe for a parser that reads nothing else (DEV-17, D-11). */
export const INTERNAL_ERROR_DECISION: Decision = ATTENTION.refused[MESSAGE.internalError];
