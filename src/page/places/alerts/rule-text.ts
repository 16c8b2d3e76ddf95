import type { RuleKind } from '../../../domain/alert/alert-rule.ts';
import { language, words } from '../../words/words.ts';

interface Limited {
  readonly kind: RuleKind;
  readonly limit: number;
}

/** When a rule opens an alert: `longer than 10 min`. */
export function limitText({ kind, limit }: Limited): string {
  return words.value.alerts.limits[kind](limit.toLocaleString(language.value));
}

/** A rule in words. The limit of a variable's alert is the value that was broken, which its sentence says. */
export function ruleText({ kind, limit }: Limited): string {
  const name = words.value.alerts.kinds[kind];
  return kind === 'variable' ? name : `${name} ${limitText({ kind, limit })}`;
}
