import { useSignal } from '@preact/signals';
import { PLAN_PARTS, type PlanPart, type PlanShifts } from '../../../../../domain/fleet/plan/fleet-plan.ts';
import { isInScope, plantScope } from '../../../../../domain/plant/plant-scope.ts';
import { call, type Outcome, withValue } from '../../../../api/call.ts';
import { Sheet } from '../../../../app/sheet.tsx';
import { isDone } from '../../../../app/tell-outcome.ts';
import { useResource } from '../../../../app/use-resource.ts';
import { RefusalNote } from '../../../../form/field-fault.tsx';
import { refusalOf, useRefusal } from '../../../../form/refusal.ts';
import { seesSeveral, shownPlant } from '../../../../several-plants/own-plants.ts';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, pathOfGroup } from '../use-groups.ts';

/** Kinds that this server has itself. Rates of machines come in a file: its gateways' machines are not its own. */
const KINDS = ['downtimeReasons', 'parts', 'users', 'apiKeys'] as const;
type Kind = (typeof KINDS)[number];
const PARTS = [...KINDS, 'shifts'] as const;
type Part = (typeof PARTS)[number];
/** Hashing takes a tenth of a second for each new password. */
const TIMEOUT_MS = 60_000;

interface Offer {
  /** The parts of which this server has something. */
  readonly plan: { readonly [Own in Kind]?: readonly object[] } & { readonly shifts?: PlanShifts };
  /** The parts of the newest version, none without one. Gateways remove what a plan has added and a later version leaves out. */
  readonly former: readonly PlanPart[];
}

/** The shifts of this server; `fixed` and `chosen` name what is set by its configuration and at its page. */
interface Settings extends PlanShifts {
  readonly fixed: readonly string[];
  readonly chosen: readonly string[];
}

/** Without a role: neither a key nor a person. */
type OwnRecord = Partial<Parameters<typeof plantScope>[0]> & { readonly isPanel?: boolean };

const NOTHING: Offer = { plan: {}, former: [] };
/** The parts of a first version, until a person chooses. */
const FIRST: readonly PlanPart[] = ['downtimeReasons'];

interface NewVersionProps {
  readonly group: GroupView;
  readonly onClose: () => void;
  /** `isNew` false: the newest version is equal. */
  readonly onDone: (isNew: boolean) => void;
}

/** A new version of a plan from the data of this server, part by part; at first with the parts of the newest one. */
export function NewVersion({ group, onClose, onDone }: NewVersionProps) {
  const path = `${pathOfGroup(group)}/versions`;
  const offer = useResource(`${path}/${group.newest?.version}`, () => readOffer(group)).value;
  const { plan, former } = offer ?? NOTHING;
  const toggled = useSignal<ReadonlySet<Part>>(new Set());
  const overwrite = useSignal(false);
  const isBusy = useSignal(false);
  const refusal = useRefusal<HTMLFormElement>();
  const { groups: texts } = fleetWords.value;
  const atFirst = group.newest === null ? FIRST : former;
  const chosen = PARTS.filter((part) => part in plan && atFirst.includes(part) !== toggled.value.has(part));
  const toggle = (part: Part) => {
    const parts = new Set(toggled.value);
    if (!parts.delete(part)) parts.add(part);
    toggled.value = parts;
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const note = String(new FormData(event.currentTarget).get('note') ?? '').trim();
    const query = new URLSearchParams({ note, overwrite: String(overwrite.value) });
    const given = Object.fromEntries(chosen.map((part) => [part, plan[part]]));
    isBusy.value = true;
    const outcome = await call<{ readonly isNew: boolean }>('POST', `${path}?${query}`, given, TIMEOUT_MS);
    isBusy.value = false;
    const refused = refusalOf(outcome, ['note']);
    refusal.tell(refused);
    if (refused === null && isDone(outcome)) onDone(outcome.value.isNew);
  };
  return (
    <Sheet title={texts.newVersion} onClose={onClose} isHeldOpen={isBusy.value}>
      <form class="stack" ref={refusal.form} onSubmit={(event) => void send(event)}>
        <div class="field">
          <span class="lab" id="plan-parts">
            {texts.from}
          </span>
          <div class="row" role="group" aria-labelledby="plan-parts">
            {PARTS.map((part) => (
              <Choice
                key={part}
                label={part === 'shifts' ? texts.kinds.shifts : `${texts.kinds[part]} (${plan[part]?.length ?? 0})`}
                isOn={chosen.includes(part)}
                isOffered={part in plan}
                onPress={() => toggle(part)}
              />
            ))}
          </div>
          {offer !== null && <Hints plan={plan} former={former} chosen={chosen} />}
        </div>
        <div class="field">
          <label for="plan-note">{texts.note}</label>
          <input id="plan-note" name="note" type="text" maxLength={500} autocomplete="off" />
        </div>
        <Choice
          label={texts.overwrite}
          isOn={overwrite.value}
          onPress={() => {
            overwrite.value = !overwrite.value;
          }}
        />
        <RefusalNote refusal={refusal.shown} />
        <button type="submit" class="btn btn-main btn-wide" disabled={isBusy.value || chosen.length === 0}>
          {texts.keep}
        </button>
      </form>
    </Sheet>
  );
}

/** Says what the chosen parts mean, and what is missing. */
function Hints({ plan, former, chosen }: Offer & { readonly chosen: readonly PlanPart[] }) {
  const { groups: texts } = fleetWords.value;
  // Shifts that are left out stay at the gateways.
  const leftOut = former.filter((part) => part !== 'shifts' && !chosen.includes(part)).map((part) => texts.kinds[part]);
  const shifts = plan.shifts?.shifts.map(({ name, start }) => `${name} ${start}`).join(', ');
  return (
    <>
      {seesSeveral() && <small class="hint">{texts.fromPlant(shownPlant.value?.name ?? '')}</small>}
      {shifts === undefined && <small class="hint">{texts.noShifts}</small>}
      {shifts !== undefined && chosen.includes('shifts') && <small class="hint">{texts.shiftsMean(shifts)}</small>}
      {leftOut.length > 0 && <small class="small mark-amber">{texts.leftOut(leftOut.join(', '))}</small>}
      <small class="hint">{texts.fromHint}</small>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isOffered?: boolean;
  readonly onPress: () => void;
}

function Choice({ label, isOn, isOffered = true, onPress }: ChoiceProps) {
  return (
    <span class="row">
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        disabled={!isOffered}
        onClick={onPress}
      >
        <i />
      </button>
      <span class={isOffered ? 'grow' : 'grow dim'} aria-hidden="true">
        {label}
      </span>
    </span>
  );
}

/** Reads them, one after the other. */
async function readOffer(group: GroupView): Promise<Outcome<Offer>> {
  const plantIds = group.gateways.flatMap(({ plantId }) => plantId ?? []);
  const plan: Record<string, object> = {};
  for (const kind of KINDS) {
    const outcome = await call<readonly OwnRecord[]>('GET', `/plant/${kind}`);
    if (outcome.kind !== 'done') return outcome;
    const records = outcome.value.flatMap((record) => forGateways(record, plantIds));
    if (records.length > 0) plan[kind] = records;
  }
  const settings = await call<Settings>('GET', '/settings');
  if (settings.kind !== 'done') return settings;
  const shifts = ownShifts(settings.value);
  if (shifts !== null) plan.shifts = shifts;
  if (group.newest === null) return { kind: 'done', value: { plan, former: [] } };
  const newest = `${pathOfGroup(group)}/versions/${group.newest.version}`;
  const version = await call<{ readonly plan: Partial<Record<PlanPart, object>> }>('GET', newest);
  return withValue(version, (value) => ({ plan, former: PLAN_PARTS.filter((part) => part in value.plan) }));
}

/**
 * A key or a person goes to gateways of its plants alone, without the names of the plants, which a gateway does not know.
 * Keys of gateways and panels are those of single computers.
 */
function forGateways({ plants, ...record }: OwnRecord, plantIds: readonly string[]): readonly object[] {
  const { role, isPanel } = record;
  if (role === undefined) return [record];
  if (role === 'gateway' || isPanel === true) return [];
  const scope = plantScope({ role, ...(plants && { plants }) });
  return plantIds.every((plantId) => isInScope(scope, plantId)) ? [record] : [];
}

/** Null: they are the default ones, which nobody has chosen. A group may lie in several time zones, so each gateway keeps its own. */
function ownShifts({ fixed, chosen, shifts, daysOff }: Settings): PlanShifts | null {
  const areOwn = fixed.includes('shifts') || chosen.includes('shifts');
  return areOwn ? { shifts, ...(daysOff && { daysOff }) } : null;
}
