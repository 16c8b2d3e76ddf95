import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Role } from '../../../domain/plant/plant.ts';
import { call, type Outcome } from '../../api/call.ts';
import { Sheet } from '../../app/sheet.tsx';
import { changedText, isDone, refusalText } from '../../app/tell-outcome.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password';
  readonly value?: string;
  /** An example, or where the value comes from. */
  readonly hint?: string;
  /** A choice of these. */
  readonly choices?: readonly Choice[];
  /** Another field, and the value that this one takes from it before a person types one. */
  readonly follows?: { readonly field: string; readonly as: (typed: string) => string };
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

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
  readonly onDone: (sent: Readonly<Record<string, string>>) => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** A record of the plant, new or changed. A refusal of the gateway is shown in the form, in the gateway's words. */
export function RecordForm(props: RecordFormProps) {
  const { title, path, method = 'POST', fields, submit, fixed = {}, onDone, onClose, children } = props;
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);
  const isTyped = useSignal(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = givenIn(event.currentTarget, fields);
    const filled = Object.fromEntries(given.filter(([, value]) => value !== ''));
    const asked = new Set(fields.map(({ name }) => name));
    const kept = Object.fromEntries(Object.entries(fixed).filter(([name]) => !asked.has(name)));
    isBusy.value = true;
    const outcome = await call(method, path, { ...kept, ...filled });
    isBusy.value = false;
    refusal.value = refusalOf(outcome);
    if (refusal.value === null && isDone(outcome)) onDone(filled);
  };
  return (
    <Sheet title={title} onClose={onClose} isHeldOpen={isBusy.value} isUnsaved={isTyped.value}>
      <form
        class="stack"
        data-not-sent-by-scan
        onSubmit={(event) => void send(event)}
        onInput={({ currentTarget, target }) => {
          isTyped.value = true;
          follow(currentTarget, target, fields);
        }}
      >
        {fields.map((field) => (
          <Field key={field.name} field={field} />
        ))}
        {children}
        {refusal.value !== null && <RefusalNote refusal={refusal.value} />}
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
function givenIn(form: HTMLFormElement, fields: readonly FormField[]): readonly (readonly [string, string])[] {
  const secrets = new Set(fields.filter(({ type }) => type === 'password').map(({ name }) => name));
  return [...new FormData(form)].map(([name, value]) => [
    name,
    secrets.has(name) ? String(value) : String(value).trim(),
  ]);
}

interface Refusal {
  readonly text: string;
  readonly faults: readonly string[];
}

/** The statuses for a fault of the record itself, which the person can correct. */
const AT_FAULT: readonly number[] = [400, 409, 422];

/** The refusal to show in the form; null if the record was kept, or if `isDone` reports the outcome. */
function refusalOf(outcome: Outcome<unknown>): Refusal | null {
  if (outcome.kind !== 'refused' || outcome.status === 401 || outcome.status === 403) return null;
  const { notSaved } = words.value.trouble;
  if (outcome.changed !== null) return { text: notSaved, faults: [changedText(outcome.changed)] };
  const text = AT_FAULT.includes(outcome.status) ? notSaved : refusalText(outcome.status);
  return { text, faults: outcome.errors };
}

function RefusalNote({ refusal: { text, faults } }: { readonly refusal: Refusal }) {
  return (
    <div class="stack" role="alert">
      <p class="bold">{text}</p>
      {faults.map((fault) => (
        <p class="err" key={fault}>
          <Icon name="held" />
          {fault}
        </p>
      ))}
    </div>
  );
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

function Field({ field: { name, label, type = 'text', value = '', hint, choices } }: { readonly field: FormField }) {
  const id = `field-${name}`;
  const hintId = hint === undefined ? undefined : `hint-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {choices !== undefined && (
        <select id={id} name={name}>
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
          aria-describedby={hintId}
        />
      )}
      {choices === undefined && type === 'password' && (
        <input id={id} name={name} type="password" autocomplete="new-password" />
      )}
      {hint !== undefined && (
        <small id={hintId} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}
