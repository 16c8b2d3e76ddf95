import { useSignal } from '@preact/signals';
import type { PlantEntries } from '../../../../../domain/plant/plant-entry.ts';
import { call, type Outcome } from '../../../../api/call.ts';
import { Sheet } from '../../../../app/sheet.tsx';
import { isDone } from '../../../../app/tell-outcome.ts';
import { RefusalNote } from '../../../../form/field-fault.tsx';
import { refusalOf, useRefusal } from '../../../../form/refusal.ts';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, pathOfGroup } from '../use-groups.ts';

/** Kinds that this server has itself. Rates of machines come in a file: its gateways' machines are not its own. */
const KINDS = ['downtimeReasons', 'parts', 'users', 'apiKeys'] as const;
type Kind = (typeof KINDS)[number];
/** Hashing takes a tenth of a second for each new password. */
const TIMEOUT_MS = 60_000;

interface NewVersionProps {
  readonly group: GroupView;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A new version of a plan from the records of this server, kind by kind. */
export function NewVersion({ group, onClose, onDone }: NewVersionProps) {
  const chosen = useSignal<ReadonlySet<Kind>>(new Set(['downtimeReasons']));
  const overwrite = useSignal(false);
  const isBusy = useSignal(false);
  const refusal = useRefusal<HTMLFormElement>();
  const { groups: texts } = fleetWords.value;
  const toggle = (kind: Kind) => {
    const kinds = new Set(chosen.value);
    if (!kinds.delete(kind)) kinds.add(kind);
    chosen.value = kinds;
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const note = String(new FormData(event.currentTarget).get('note') ?? '').trim();
    isBusy.value = true;
    const plan = await planOf([...chosen.value]);
    const query = new URLSearchParams({ note, overwrite: String(overwrite.value) });
    const path = `${pathOfGroup(group)}/versions?${query}`;
    const outcome = plan.kind === 'done' ? await call('POST', path, plan.value, TIMEOUT_MS) : plan;
    isBusy.value = false;
    const refused = refusalOf(outcome, ['note']);
    refusal.tell(refused);
    if (refused === null && isDone(outcome)) onDone();
  };
  return (
    <Sheet title={texts.newVersion} onClose={onClose} isHeldOpen={isBusy.value}>
      <form class="stack" ref={refusal.form} onSubmit={(event) => void send(event)}>
        <div class="field">
          <span class="lab" id="plan-kinds">
            {texts.from}
          </span>
          <div class="row" role="group" aria-labelledby="plan-kinds">
            {KINDS.map((kind) => (
              <Choice key={kind} label={texts.kinds[kind]} isOn={chosen.value.has(kind)} onPress={() => toggle(kind)} />
            ))}
          </div>
          <small class="hint">{texts.fromHint}</small>
        </div>
        <div class="field">
          <label for="plan-note">{texts.note}</label>
          <input id="plan-note" name="note" type="text" maxLength={500} autocomplete="off" />
        </div>
        <div class="row">
          <Choice
            label={texts.overwrite}
            isOn={overwrite.value}
            onPress={() => {
              overwrite.value = !overwrite.value;
            }}
          />
        </div>
        <RefusalNote refusal={refusal.shown} />
        <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value || chosen.value.size === 0}>
          {texts.keep}
        </button>
      </form>
    </Sheet>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onPress: () => void;
}

function Choice({ label, isOn, onPress }: ChoiceProps) {
  return (
    <span class="row">
      <button type="button" class="switch" role="switch" aria-checked={isOn} aria-label={label} onClick={onPress}>
        <i />
      </button>
      <span aria-hidden="true">{label}</span>
    </span>
  );
}

/** The records of this server. Keys of gateways and panels are those of single computers. */
async function planOf(kinds: readonly Kind[]): Promise<Outcome<Record<string, readonly object[]>>> {
  const plan: Record<string, readonly object[]> = {};
  for (const kind of kinds) {
    const outcome = await call<readonly object[]>('GET', `/plant/${kind}`);
    if (outcome.kind !== 'done') return outcome;
    plan[kind] =
      kind === 'apiKeys' ? outcome.value.filter((key) => isOfProgram(key as PlantEntries['apiKeys'])) : outcome.value;
  }
  return { kind: 'done', value: plan };
}

function isOfProgram({ role, isPanel }: PlantEntries['apiKeys']): boolean {
  return role !== 'gateway' && isPanel !== true;
}
