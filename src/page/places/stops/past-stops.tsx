import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onEvent } from '../../api/live.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { machineName } from '../../plant/machines.ts';
import { reasonText } from '../../plant/plant.ts';
import { leaveRecentStops, loadRecentStops, recentStops, type Stop } from '../../plant/stops.ts';
import { now } from '../../show/clock.ts';
import { FileLink } from '../../show/file-link.tsx';
import { age } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { EditStop } from './edit-stop.tsx';
import { stopTimes } from './stop-times.ts';

/** The stops of the last day with their reasons. Each can be split, merged, and given another reason or a note. */
export function PastStops() {
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
  const shown = stops ?? [];
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
        {shown.map((stop) => (
          <PastStop
            key={stop.downtimeId}
            stop={stop}
            onEdit={() => {
              opened.value = stop;
            }}
          />
        ))}
      </div>
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
