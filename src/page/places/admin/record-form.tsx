import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Role } from '../../../domain/plant/plant.ts';
import { call } from '../../api/call.ts';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { FieldFault, marksOf, RefusalNote } from '../../form/field-fault.tsx';
import { type FormRefusal, refusalOf, useRefusal } from '../../form/refusal.ts';
import { words } from '../../words/words.ts';

export interface FormField {
  readonly name: string;
  readonly label: string;
  /** `lines` is a list, with one entry a line. */
  readonly type?: 'text' | 'password' | 'lines';
  readonly value?: string;
  /** An example, or where the value comes from. */
  readonly hint?: string;
  /** A choice of these. */
  readonly choices?: readonly Choice[];
  /** The value that is sent for a typed text, of `lines` for each line. */
  readonly read?: (typed: string) => unknown;
  /** Another field, and the value that this one takes from it before a person types one. */
  readonly follows?: { readonly field: string; readonly as: (typed: string) => string };
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The typed values by the names of their fields; an empty field is not there. */
export type Typed = Readonly<Record<string, string>>;

interface RecordFormProps {
  readonly title: string;
  /** Where the record goes, such as `/plant/machines`. */
  readonly path: string;
  /** PUT changes a record that is there. */
  readonly method?: 'POST' | 'PUT';
  readonly fields: readonly FormField[];
  readonly submit: string;
  /** Fields that are not asked for. A field that is asked for and left empty is not sent. */
  readonly fixed?: object;
  /** Makes the record of what was typed; by default the fields are the record. */
  readonly bodyOf?: (typed: Typed, lists: Readonly<Record<string, readonly string[]>>) => object;
  readonly onDone: (sent: Typed) => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** A record of the plant, new or changed. A refusal of the gateway is shown in the form, in the gateway's words. */
export function RecordForm(props: RecordFormProps) {
  const { title, path, method = 'POST', fields, submit, fixed = {}, bodyOf, onDone, onClose, children } = props;
  const refusal = useRefusal<HTMLFormElement>();
  const isBusy = useSignal(false);
  const isTyped = useSignal(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const { filled, lists, sent } = givenIn(event.currentTarget, fields);
    const asked = new Set(fields.map(({ name }) => name));
    const kept = Object.fromEntries(Object.entries(fixed).filter(([name]) => !asked.has(name)));
    isBusy.value = true;
    const body = bodyOf?.(filled, lists) ?? { ...kept, ...sent };
    const outcome = await call(method, path, body);
    isBusy.value = false;
    const refused = refusalOf(outcome, [...asked]);
    refusal.tell(refused);
    if (refused === null && isDone(outcome)) onDone(filled);
  };
  return (
    <Sheet title={title} onClose={onClose} isHeldOpen={isBusy.value} isUnsaved={isTyped.value}>
      <form
        class="stack"
        ref={refusal.form}
        data-not-sent-by-scan
        onSubmit={(event) => void send(event)}
        onInput={({ currentTarget, target }) => {
          isTyped.value = true;
          if (isInput(target)) refusal.forget(target.name);
          follow(currentTarget, target, fields);
        }}
      >
        {fields.map((field) => (
          <Field key={field.name} field={field} refusal={refusal} />
        ))}
        {children}
        <RefusalNote refusal={refusal.shown} />
        <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value}>
          {submit}
        </button>
      </form>
    </Sheet>
  );
}

/**
 * The typed values. Blanks at both ends are removed, because telephones and pasted texts add them; in a password they
 * may be meant.
 */
function givenIn(form: HTMLFormElement, fields: readonly FormField[]) {
  const filled: Record<string, string> = {};
  const lists: Record<string, readonly string[]> = {};
  const sent: Record<string, unknown> = {};
  const asked = new Map(fields.map((field) => [field.name, field]));
  for (const [name, entry] of new FormData(form)) {
    const { type, read = String } = asked.get(name) ?? {};
    const value = type === 'password' ? String(entry) : String(entry).trim();
    if (type === 'lines') {
      const lines = value.split(/\s*\n\s*/).filter((line) => line !== '');
      lists[name] = lines;
      sent[name] = lines.map((line) => read(line));
    } else if (value !== '') {
      filled[name] = value;
      sent[name] = read(value);
    }
  }
  return { filled, lists, sent };
}

function isInput(target: EventTarget | null): target is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement {
  return [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement].some((input) => target instanceof input);
}

/** The number that a person typed, with a comma or a point; another text as it is, which the gateway refuses by name. */
export function numberOf(typed: string): number | string {
  const value = Number(typed.replace(',', '.'));
  return Number.isNaN(value) ? typed : value;
}

/** The roles, each with what it may do. */
export function rolesOf(roles: readonly Role[]): readonly Choice[] {
  return roles.map((role) => ({ value: role, label: words.value.admin.roles[role] }));
}

/** Marks an input in which a person typed. */
const TYPED = 'data-typed';

/** Fills the fields that follow the typed one. A value that a person typed stays. */
function follow(form: HTMLFormElement, typed: EventTarget | null, fields: readonly FormField[]): void {
  if (!(typed instanceof HTMLInputElement)) return;
  typed.setAttribute(TYPED, '');
  for (const { name, follows } of fields) {
    const input = form.elements.namedItem(name);
    if (follows?.field !== typed.name || !(input instanceof HTMLInputElement) || input.hasAttribute(TYPED)) continue;
    const text = typed.value.trim();
    input.value = text === '' ? '' : follows.as(text);
  }
}

interface FieldProps {
  readonly field: FormField;
  readonly refusal: Pick<FormRefusal, 'shown'>;
}

function Field({ field: { name, label, type = 'text', value = '', hint, choices }, refusal }: FieldProps) {
  const id = `field-${name}`;
  const hintId = hint === undefined ? undefined : `hint-${name}`;
  const fault = refusal.shown?.ofField.get(name) ?? null;
  const marks = marksOf(fault, id, hintId);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {choices !== undefined && (
        <select id={id} name={name} {...marks}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
      {choices === undefined && type === 'text' && (
        <input
          id={id}
          name={name}
          type="text"
          defaultValue={value}
          autocomplete="off"
          // A telephone would begin a topic root with a capital letter, which is another root.
          autocapitalize="none"
          {...marks}
        />
      )}
      {choices === undefined && type === 'password' && (
        <input id={id} name={name} type="password" autocomplete="new-password" {...marks} />
      )}
      {type === 'lines' && (
        <textarea
          id={id}
          name={name}
          rows={3}
          defaultValue={value}
          autocomplete="off"
          autocapitalize="none"
          {...marks}
        />
      )}
      <FieldFault fault={fault} id={id} />
      {hint !== undefined && (
        <small id={hintId} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}
