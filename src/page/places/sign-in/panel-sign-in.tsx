import { useSignal } from '@preact/signals';
import type { PanelProof } from '../../../flows/people/people-ports.ts';
import { call, type Outcome } from '../../api/call.ts';
import { type Fault, faultOf } from '../../app/tell-outcome.ts';
import { useLoaded } from '../../app/use-loaded.ts';
import { askNothing } from '../../people/asked.ts';
import { signInAtPanel } from '../../people/who.ts';
import { useScan } from '../../scan/use-scan.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { Keypad } from './keypad.tsx';
import { PasswordForm } from './sign-in.tsx';

interface PanelPeople {
  readonly name: string | null;
  readonly people: readonly string[];
}

type Chosen = { readonly kind: 'badge' | 'password' } | { readonly kind: 'pin'; readonly name: string };

/** Signing in at an enrolled panel: by a badge, a name and its PIN, or a password. */
export function PanelSignIn() {
  const panel = useLoaded('', () => call<PanelPeople>('GET', '/panel'));
  const chosen = useSignal<Chosen>({ kind: 'badge' });
  const fault = useSignal<Fault | null>(null);
  const { panel: said } = words.value;
  const enter = async (proof: PanelProof) => {
    const outcome = await signInAtPanel(proof);
    if (outcome.kind === 'done') return askNothing();
    fault.value = panelFault(outcome, 'badge' in proof ? said.wrongBadge : said.wrongPin);
  };
  useScan((badge) => void enter({ badge }));
  const choose = (next: Chosen) => {
    fault.value = null;
    chosen.value = next;
  };
  const present = chosen.value;
  return (
    <div class="stack">
      <p class="dim">{panel.value?.name != null && said.hint(panel.value.name)}</p>
      {present.kind === 'badge' && (
        <section class="scan">
          <Icon name="badge" />
          <b>{said.badge}</b>
          <span class="dim">{said.badgeHint}</span>
        </section>
      )}
      {present.kind === 'pin' && (
        <Keypad key={present.name} name={present.name} onPin={(pin) => enter({ name: present.name, pin })} />
      )}
      {fault.value !== null && <FaultLine fault={fault.value} />}
      {present.kind === 'password' && <PasswordForm onDone={askNothing} />}
      <p class="over">{said.orName}</p>
      <Names
        names={panel.value?.people ?? []}
        chosen={present.kind === 'pin' ? present.name : null}
        onChoose={(name) => choose(name === null ? { kind: 'password' } : { kind: 'pin', name })}
      />
      <p class="dim small">{said.idle}</p>
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
  const { panel: said } = words.value;
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
          <span class="name">{said.somebodyElse}</span>
          <br />
          <span class="sub">{said.withPassword}</span>
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
