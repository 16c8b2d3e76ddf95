import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '../api/call.ts';
import { changedText, refusalText } from '../app/tell-outcome.ts';
import { words } from '../words/words.ts';

/** Why the gateway refused a form. Its own sentences stand beside the fields that they name. */
export interface Refusal {
  readonly text: string;
  readonly ofField: ReadonlyMap<string, string>;
  /** Sentences that name no field of the form. */
  readonly others: readonly string[];
}

/** The statuses for a fault of the record itself, which the person can correct. */
const AT_FAULT: readonly number[] = [400, 409, 422];
/** `topicRoot: found "a/#", expected …` */
const NAMED = /^([\w.[\]]+): (.+)$/s;

/** The refusal to show in a form with these fields; null if it was kept, or if `isDone` reports the outcome. */
export function refusalOf(outcome: Outcome<unknown>, fields: readonly string[]): Refusal | null {
  if (outcome.kind !== 'refused' || outcome.status === 401 || outcome.status === 403) return null;
  const { notSaved, marked, gatewayWords: translate } = words.value.trouble;
  if (outcome.changed !== null) return { text: notSaved, ofField: new Map(), others: [changedText(outcome.changed)] };
  const ofField = new Map<string, string>();
  const others: string[] = [];
  for (const error of outcome.errors) {
    const [, path = '', sentence = ''] = NAMED.exec(error) ?? [];
    const field = fields.find((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
    if (field === undefined) others.push(translate(error));
    else ofField.set(field, [ofField.get(field), capitalized(translate(sentence))].filter(Boolean).join('; '));
  }
  const isAtFault = AT_FAULT.includes(outcome.status);
  return { text: isAtFault ? (others.length > 0 ? notSaved : marked) : refusalText(outcome.status), ofField, others };
}

export interface FormRefusal<Form extends HTMLElement = HTMLElement> {
  readonly form: RefObject<Form | null>;
  readonly shown: Refusal | null;
  /** Shows a refusal, and puts the focus on the first field that it marks; null ends the one before. */
  readonly tell: (refusal: Refusal | null) => void;
  /** A field that is typed anew is not marked any more. */
  readonly forget: (field: string) => void;
}

/** The refusal of one form: marks its wrong fields, with the gateway's words beside each. */
export function useRefusal<Form extends HTMLElement>(): FormRefusal<Form> {
  const shown = useSignal<Refusal | null>(null);
  const told = useSignal(0);
  const form = useRef<Form>(null);
  useEffect(() => {
    if (told.value > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [told.value]);
  return {
    form,
    shown: shown.value,
    tell: (refusal) => {
      shown.value = refusal;
      told.value += 1;
    },
    forget: (field) => {
      if (shown.value?.ofField.has(field) !== true) return;
      const ofField = new Map(shown.value.ofField);
      ofField.delete(field);
      shown.value = ofField.size + shown.value.others.length === 0 ? null : { ...shown.value, ofField };
    },
  };
}

function capitalized(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}
