import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { MachineFilter } from '../../app/machine-filter.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import { amend } from '../../app/route.ts';
import { SearchField } from '../../app/search-field.tsx';
import { Sheet } from '../../app/sheet.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { mayRead, panelOf, who } from '../../people/who.ts';
import { byName } from '../../plant/by-name.ts';
import { machineName, machineOf, plantAreas, stations } from '../../plant/machines.ts';
import { isChosen, isNear, type Near, near, toggleNear } from '../../plant/near-machines.ts';
import { reasonText } from '../../plant/plant.ts';
import { choiceOf, isFound, isInArea, queryOf, type StationChoice } from '../../plant/station-choice.ts';
import {
  leaveRecentStops,
  loadRecentStops,
  loadStops,
  recentStops,
  type Stop,
  waitingStops,
} from '../../plant/stops.ts';
import { now } from '../../show/clock.ts';
import { FileLink } from '../../show/file-link.tsx';
import { age, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { EditStop } from './edit-stop.tsx';
import { type Picked, StopChoice } from './stop-choice.tsx';
import { stopTimes } from './stop-times.ts';

/** Machines that the sheet shows at once; a search finds the others. */
const SHOWN = 40;
/** Past stops that are drawn at once. */
const PAST_AT_ONCE = 50;

interface StopsProps {
  readonly machineId: string | undefined;
  /** The choice of machines. */
  readonly query: string | undefined;
}

/** The place Stops: stops without a reason, the oldest first, which get their reason by two taps. */
export function Stops({ machineId, query }: StopsProps) {
  useEffect(() => void loadStops().then(isDone), []);
  const picked = useSignal<Picked | null>(null);
  const isEverywhere = useSignal(false);
  const choice = choiceOf(query);
  const show = (chosen: StationChoice) =>
    amend({ place: 'stops', ...(machineId !== undefined && { machineId }), query: queryOf(chosen) });
  const all = waitingStops.value;
  const { stops: texts, trouble } = words.value;
  if (all === null) return <Frame answer={trouble.waits} children={null} />;
  const here = isEverywhere.value ? all : all.filter((stop) => isNear(stop.machineId, machineId));
  const shown = here.filter((stop) => isChosenStop(stop, choice));
  const stops = [...shown.filter(isAt(machineId)), ...shown.filter((stop) => !isAt(machineId)(stop))];
  const elsewhere = all.length - here.length;
  const [oldest] = here;
  const answer = here.length === 0 ? texts.none : here.length === 1 ? texts.one : texts.many(here.length);
  const isChoosing = stops.length > 0 || picked.value?.isRefused === true;
  return (
    <Frame answer={answer} more={oldest === undefined ? '' : texts.oldest(timeOrDate(oldest.startedAt))}>
      <MachineFilter choice={choice} onChoose={show} />
      {isChoosing ? (
        <StopChoice stops={stops} picked={picked} />
      ) : here.length > 0 ? (
        <p class="dim">{words.value.near.none}</p>
      ) : (
        <div class="pane empty">
          <Icon name="downtime" />
          <b>{texts.none}</b>
          <span>{texts.noneHint}</span>
        </div>
      )}
      <NearMachines
        elsewhere={elsewhere}
        isEverywhere={isEverywhere.value && near.value.length > 0}
        onEverywhere={(next) => {
          isEverywhere.value = next;
        }}
      />
      <PastStops choice={choice} />
    </Frame>
  );
}

function isChosenStop({ machineId }: Stop, { area, find }: StationChoice): boolean {
  const name = machineName(machineId);
  return isInArea({ area: machineOf(machineId)?.area ?? null }, area) && isFound({ machineId, name }, find);
}

function isAt(machineId: string | undefined): (stop: Stop) => boolean {
  return (stop) => stop.machineId === machineId;
}

interface NearMachinesProps {
  /** The number of stops at other machines, which are not shown. */
  readonly elsewhere: number;
  readonly isEverywhere: boolean;
  readonly onEverywhere: (isEverywhere: boolean) => void;
}

/** Says which machines this browser is for. At a panel that many people share a supervisor chooses them. */
function NearMachines({ elsewhere, isEverywhere, onEverywhere }: NearMachinesProps) {
  const isAsked = useSignal(false);
  const texts = words.value.near;
  const mayChoose = panelOf(who.value) === null || mayRead('supervisor');
  return (
    <div class="row">
      {near.value.length > 0 && <p class="dim wrap">{texts.bound(near.value.map(nearName).join(', '))}</p>}
      {(elsewhere > 0 || isEverywhere) && (
        <button type="button" class="btn" onClick={() => onEverywhere(!isEverywhere)}>
          {isEverywhere ? texts.onlyHere : texts.elsewhere(elsewhere)}
        </button>
      )}
      {mayChoose && (
        <button type="button" class="btn" onClick={() => (isAsked.value = true)}>
          <Icon name="machine" />
          {texts.choose}
        </button>
      )}
      {isAsked.value && <ChooseMachines onClose={() => (isAsked.value = false)} />}
    </div>
  );
}

function ChooseMachines({ onClose }: { readonly onClose: () => void }) {
  const sought = useSignal('');
  const texts = words.value.near;
  const text = sought.value.trim().toLowerCase();
  const all = choices();
  const found = all.filter((choice) => nearName(choice).toLowerCase().includes(text));
  return (
    <Sheet title={texts.choose} onClose={onClose}>
      <p class="dim">{texts.hint}</p>
      {all.length > SHOWN && (
        <SearchField label={texts.find} value={sought.value} onSearch={(typed) => (sought.value = typed)} />
      )}
      <div class="reasons">
        {found.slice(0, SHOWN).map((choice) => (
          <button
            type="button"
            class="opt lead"
            key={JSON.stringify(choice)}
            role="checkbox"
            aria-checked={isChosen(choice)}
            onClick={() => toggleNear(choice)}
          >
            <span class="tick">{isChosen(choice) && <Icon name="check" />}</span>
            <span class="name">{nearName(choice)}</span>
          </button>
        ))}
      </div>
      {found.length > SHOWN && <p class="dim">{words.value.andon.hidden(found.length - SHOWN)}</p>}
    </Sheet>
  );
}

/** The areas of the plant, then its machines, by name. */
function choices(): readonly Near[] {
  const inOrder = [...stations.value].sort((one, other) => byName(one.name, other.name));
  return [...plantAreas.value.map((area) => ({ area })), ...inOrder.map(({ machineId }) => ({ machineId }))];
}

function nearName(choice: Near): string {
  return 'area' in choice ? words.value.near.area(choice.area) : machineName(choice.machineId);
}

/** The stops of the last day with their reasons. Each can be split, merged, and given another reason or a note. */
function PastStops({ choice }: { readonly choice: StationChoice }) {
  const limit = useSignal(PAST_AT_ONCE);
  const opened = useSignal<Stop | null>(null);
  useEffect(() => {
    const load = () => loadRecentStops().then(isDone);
    void load();
    const stopFollowing = onEvent('reset', load);
    return () => {
      stopFollowing();
      leaveRecentStops();
    };
  }, []);
  const { stops: texts, trouble } = words.value;
  const stops = recentStops.value;
  const shown = (stops ?? []).filter((stop) => isChosenStop(stop, choice));
  const present = shown.find(({ downtimeId }) => downtimeId === opened.value?.downtimeId);
  // A stop that another person merged away keeps its sheet, and with it the note that is being typed.
  const edited = present ?? opened.value;
  return (
    <section class="pane flush" aria-label={texts.past}>
      <div class="head head-small pad">
        <h2 class="h3">{texts.past}</h2>
        <FileLink class="btn push" path="/downtimes.csv">
          <Icon name="download" />
          CSV
        </FileLink>
      </div>
      <div class="pick">
        {stops === null && <p class="dim pad">{trouble.waits}</p>}
        {shown.slice(0, limit.value).map((stop) => (
          <PastStop
            key={stop.downtimeId}
            stop={stop}
            onEdit={() => {
              opened.value = stop;
            }}
          />
        ))}
      </div>
      <MoreButton shown={limit.value} total={shown.length} onMore={() => (limit.value += PAST_AT_ONCE)} />
      {edited !== null && (
        <EditStop
          stop={edited}
          isGone={present === undefined}
          neighbour={neighbourOf(edited, shown)}
          onClose={() => {
            opened.value = null;
          }}
        />
      )}
    </section>
  );
}

function PastStop({ stop, onEdit }: { readonly stop: Stop; readonly onEdit: () => void }) {
  const { machineId, startedAt, endedAt, note, userName } = stop;
  const texts = words.value.stops;
  const endMs = endedAt === null ? now.value : Date.parse(endedAt);
  return (
    <button type="button" class="opt" onClick={onEdit}>
      <span>
        <span class="name">{machineName(machineId)}</span>
        <br />
        <span class="sub">
          {stopTimes(stop)}
          {`, ${reasonText(stop.reasonId) ?? texts.noReason}`}
          <ByPerson text={note} />
          <ByPerson text={userName} />
        </span>
      </span>
      <b class="num">{age(endMs - Date.parse(startedAt))}</b>
    </button>
  );
}

/** A text by a person, isolated, because it may contain a character that changes the direction of the text after it. */
function ByPerson({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return null;
  return (
    <>
      {', '}
      <bdi>{text}</bdi>
    </>
  );
}

/**
 * The stop of the same machine before it, which it can be merged with; null for a stop that is gone. The list is newest
 * first.
 */
function neighbourOf({ downtimeId, machineId }: Stop, stops: readonly Stop[]): Stop | null {
  const ofMachine = stops.filter((stop) => stop.machineId === machineId);
  const place = ofMachine.findIndex((stop) => stop.downtimeId === downtimeId);
  return place < 0 ? null : (ofMachine[place + 1] ?? null);
}
