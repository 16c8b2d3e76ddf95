import { useEffect } from 'preact/hooks';
import { line } from '../../api/live.ts';
import { isQuiet, needsPerson, type ShownMachine } from '../../plant/machine-state.ts';
import { machines, needing, shownMachines } from '../../plant/machines.ts';
import { now } from '../../show/clock.ts';
import { age, timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { reasonOf } from './tile.tsx';

/** More lines have no room on a screen that is read from 8 m. */
const SHOWN_LINES = 7;

/** Andon for a wall (`/?tv`): a number, the machines, how long. */
export function Wall() {
  const { andon, trouble } = words.value;
  const shown = shownMachines.value;
  const loud = shown.filter(({ state }) => !isQuiet(state));
  const isCut = line.value.kind === 'cut';
  const heading = machines.value === null ? trouble.waits : andon.wall(needing.value);
  useEffect(() => {
    document.title = `${needing.value} ${heading} · plantgate`;
  }, [heading]);
  return (
    <main class="tv" id="main">
      <header class="say">
        {machines.value !== null && <span class="big">{needing.value}</span>}
        <h1>{heading}</h1>
        <div class="now">
          <span>{shown[0]?.machine.shift.shiftName}</span>
          <b>{timeOfDay(now.value)}</b>
        </div>
      </header>
      <section class="list" aria-label={andon.tiles}>
        {line.value.kind === 'cut' && (
          <div class="line line-silent">
            <Icon name="silent" />
            <span class="why">{trouble.cut(timeOfDay(line.value.sinceMs))}</span>
          </div>
        )}
        {loud.slice(0, SHOWN_LINES).map((one) => (
          <WallLine key={one.machine.machineId} shown={one} isOld={isCut} />
        ))}
      </section>
      <Quiet shown={shown} hidden={Math.max(0, loud.length - SHOWN_LINES)} />
    </main>
  );
}

/** Old lines lose their colour, for colour claims "now". */
function WallLine({ shown, isOld }: { readonly shown: ShownMachine; readonly isOld: boolean }) {
  const { machine, state, sinceMs } = shown;
  const kind = isOld ? '' : LINES[state];
  return (
    <div class={`line ${kind} ${needsPerson(state) ? '' : 'line-s'}`}>
      <Icon name={STATE_ICONS[state]} />
      <span class="name">{machine.name}</span>
      <span class="why">{reasonOf(shown)}</span>
      <span class="t">
        <small>{words.value.states[state]}</small>
        {sinceMs === null ? '' : age(now.value - sinceMs)}
      </span>
    </div>
  );
}

const LINES: Readonly<Record<ShownMachine['state'], string>> = {
  held: 'line-held',
  fault: 'line-held',
  faultRunning: 'line-warn',
  silent: 'line-silent',
  soon: 'line-warn',
  override: 'line-override',
  off: '',
  stopped: '',
  running: '',
};

function Quiet({ shown, hidden }: { readonly shown: readonly ShownMachine[]; readonly hidden: number }) {
  const { andon, states } = words.value;
  return (
    <footer class="still-run">
      {hidden > 0 && <b>{andon.hidden(hidden)}</b>}
      {(['running', 'stopped', 'off'] as const).map((state) => {
        const count = shown.filter((one) => one.state === state).length;
        return count === 0 ? null : (
          <b key={state}>
            {count} {states[state].toLowerCase()}
          </b>
        );
      })}
    </footer>
  );
}
