import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { PanelProof } from '../../../flows/people/people-ports.ts';
import { call, type Outcome } from '../../api/call.ts';
import { Sheet } from '../../app/sheet.tsx';
import { type Fault, faultOf, isDone } from '../../app/tell-outcome.ts';
import { isAnythingUnsaved } from '../../app/unsaved.ts';
import { useResource } from '../../app/use-resource.ts';
import { type Asked, asked, askNothing } from '../../people/asked.ts';
import { end, onlyShows, signInAtPanel, who } from '../../people/who.ts';
import { useScan } from '../../scan/use-scan.ts';
import { onKeptBack } from '../../scan/wedge.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { PasswordForm } from './sign-in.tsx';

/** The question of a panel, over the shown place, which stays as it is. */
export function WhoIsThere() {
  const present = asked.value;
  if (present.kind === 'nothing') return null;
  if (present.kind === 'another') return <Another key={present.name} asked={present} />;
  if (present.kind === 'ended') return <Ended />;
  return (
    <Sheet title={words.value.signIn.title} onClose={askNothing}>
      <PanelSignIn isForAct={present.isForAct} />
    </Sheet>
  );
}

/** The session ended by itself. Escape and back do not close the sheet while something unsaved lies under it. */
function Ended() {
  const isUnsaved = useMemo(isAnythingUnsaved, []);
  return (
    <Sheet title={words.value.signIn.title} onClose={end} isHeldOpen={isUnsaved}>
      <p class="dim">{words.value.signIn.ended}</p>
      <PasswordForm />
      {isUnsaved && (
        <button type="button" class="btn btn-wide" onClick={end}>
          {words.value.unsaved.leaveUnsaved}
        </button>
      )}
    </Sheet>
  );
}

/** The scan of another person's badge. */
function Another({ asked: { badge, name } }: { readonly asked: Extract<Asked, { readonly kind: 'another' }> }) {
  const { panel: texts } = words.value;
  const present = who.value;
  const become = async () => {
    askNothing();
    isDone(await signInAtPanel({ badge }));
  };
  return (
    <Sheet title={texts.anothers(name)} onClose={askNothing}>
      <p>{typeof present === 'string' || onlyShows(present) ? texts.nobodyHint : texts.anothersHint(present.name)}</p>
      <button type="button" class="btn btn-main btn-wide" onClick={() => void become()}>
        {texts.become(name)}
      </button>
    </Sheet>
  );
}

interface PanelPeople {
  readonly name: string | null;
  readonly people: readonly string[];
}

type Chosen = { readonly kind: 'badge' | 'password' } | { readonly kind: 'pin'; readonly name: string };

/** Signing in at an enrolled panel: by a badge, a name and its PIN, or a password. */
function PanelSignIn({ isForAct }: { readonly isForAct: boolean }) {
  const panel = useResource('', () => call<PanelPeople>('GET', '/panel'));
  const chosen = useSignal<Chosen>({ kind: 'badge' });
  const fault = useSignal<Fault | null>(null);
  const { panel: texts } = words.value;
  const enter = async (proof: PanelProof) => {
    const outcome = await signInAtPanel(proof);
    if (outcome.kind === 'done') return askNothing();
    fault.value = panelFault(outcome, 'badge' in proof ? texts.wrongBadge : texts.wrongPin);
  };
  useScan((badge) => void enter({ badge }));
  const choose = (next: Chosen) => {
    fault.value = null;
    chosen.value = next;
  };
  const present = chosen.value;
  return (
    <div class="stack">
      <p class="dim">{panel.value?.name != null && texts.hint(panel.value.name)}</p>
      {present.kind === 'badge' && (
        <section class="scan">
          <Icon name="badge" />
          <b>{texts.badge}</b>
          <span class="dim">{isForAct ? texts.thenDone : texts.badgeHint}</span>
        </section>
      )}
      {present.kind === 'pin' && (
        <Keypad key={present.name} name={present.name} onPin={(pin) => enter({ name: present.name, pin })} />
      )}
      {fault.value !== null && <FaultLine fault={fault.value} />}
      {present.kind === 'password' && <PasswordForm onDone={askNothing} />}
      <p class="over">{texts.orName}</p>
      <Names
        names={panel.value?.people ?? []}
        chosen={present.kind === 'pin' ? present.name : null}
        onChoose={(name) => choose(name === null ? { kind: 'password' } : { kind: 'pin', name })}
      />
      <p class="dim small">{texts.idle}</p>
    </div>
  );
}

interface NamesProps {
  readonly names: readonly string[];
  readonly chosen: string | null;
  /** Null: another person. */
  readonly onChoose: (name: string | null) => void;
}

function Names({ names, chosen, onChoose }: NamesProps) {
  const { panel: texts } = words.value;
  return (
    <div class="reasons">
      {names.map((name) => (
        <button type="button" class="opt lead" key={name} aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          <span class="face" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span class="name">{name}</span>
        </button>
      ))}
      <button type="button" class="opt lead" onClick={() => onChoose(null)}>
        <span class="face" aria-hidden="true">
          …
        </span>
        <span>
          <span class="name">{texts.somebodyElse}</span>
          <br />
          <span class="sub">{texts.withPassword}</span>
        </span>
      </button>
    </div>
  );
}

function panelFault(outcome: Exclude<Outcome<unknown>, { kind: 'done' }>, wrong: string): Fault {
  if (outcome.kind === 'refused' && outcome.status === 401) return { text: wrong, more: '' };
  if (outcome.kind === 'refused' && outcome.status === 429) return { text: words.value.panel.slow, more: '' };
  return faultOf(outcome, words.value.signIn.repeat);
}

const DIGITS = 4;
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

interface KeypadProps {
  readonly name: string;
  readonly onPin: (pin: string) => Promise<unknown>;
}

/** Takes a PIN of four digits, by large keys for gloves or by a keyboard. The fourth digit sends it. */
function Keypad({ name, onPin }: KeypadProps) {
  const typed = useSignal('');
  const { panel: texts } = words.value;
  const press = async (digit: string) => {
    if (typed.value.length >= DIGITS) return;
    typed.value += digit;
    if (typed.value.length < DIGITS) return;
    await onPin(typed.value);
    typed.value = '';
  };
  const deleteOne = () => {
    typed.value = typed.value.slice(0, -1);
  };
  // A layout effect listens at once. Otherwise a busy browser would lose the first digit.
  useLayoutEffect(() => {
    const hear = ({ key, defaultPrevented }: KeyboardEvent) => {
      // The listener for scans has taken this key: it belongs to a badge, not to a PIN.
      if (defaultPrevented) return;
      if (/^[0-9]$/.test(key)) void press(key);
      if (key === 'Backspace') deleteOne();
    };
    document.addEventListener('keydown', hear);
    const leave = onKeptBack((keys) => {
      if (keys === null) typed.value = '';
      else for (const key of keys.replace(/[^0-9]/g, '')) void press(key);
    });
    return () => {
      document.removeEventListener('keydown', hear);
      leave();
    };
  });
  return (
    <section class="stack" aria-labelledby="pin-of">
      <h3 class="h3" id="pin-of">
        {texts.pinOf(name)}
      </h3>
      <div class="pins" role="img" aria-label={texts.digits(typed.value.length)}>
        {Array.from({ length: DIGITS }, (_, place) => (
          <i key={place} class={place < typed.value.length ? 'on' : ''} />
        ))}
      </div>
      <div class="keypad">
        {KEYS.map((key) => (
          <Key key={key} label={key} onPress={() => void press(key)}>
            {key}
          </Key>
        ))}
        <Key label={texts.clear} onPress={() => (typed.value = '')}>
          <Icon name="close" />
        </Key>
        <Key label="0" onPress={() => void press('0')}>
          0
        </Key>
        <Key label={texts.deleteOne} onPress={deleteOne}>
          <Icon name="back" />
        </Key>
      </div>
    </section>
  );
}

interface KeyProps {
  readonly label: string;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

function Key({ label, onPress, children }: KeyProps) {
  return (
    <button type="button" class="btn" aria-label={label} onClick={onPress}>
      {children}
    </button>
  );
}
