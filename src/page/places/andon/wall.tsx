import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { notLiveSince } from '../../app/cut-banner.tsx';
import type { LiveMachine } from '../../plant/live-machine.ts';
import { machineCount, needing, placedMachines, shiftEnd, shiftName } from '../../plant/machines.ts';
import { isQuiet, needsPerson, type ShownState } from '../../plant/shown-state.ts';
import { now } from '../../show/clock.ts';
import { timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { useAge } from './age.ts';
import { shortReasonOf } from './why.ts';

/** No screen has room for more lines. */
const MOST_LINES = 40;
/** A longer name has smaller letters and may take two lines: its end may be what tells it from others. */
const LARGE_LETTERS = 12;
/** One line has no room for more names. */
const SHOWN_NAMES = 20;

/** Andon for a wall (`/?tv`): a number, the machines, how long. */
export function Wall() {
  const { andon, trouble } = words.value;
  const loud = placedMachines.value.filter(({ state }) => !isQuiet(state));
  const shown = loud.slice(0, MOST_LINES);
  const old = notLiveSince();
  const list = useHiddenLines([old !== null, ...shown.map(({ live }) => live.machineId)].join());
  const heading = machineCount.value === null ? trouble.waits : andon.wall(needing.value);
  useEffect(() => {
    document.title = `${needing.value} ${heading} · plantgate`;
  }, [heading]);
  return (
    <main class="tv" id="main">
      <header class="say">
        {machineCount.value !== null && <span class="big">{needing.value}</span>}
        <h1>{heading}</h1>
        <div class="now">
          <span>
            {shiftName} <br />
            {shiftEnd.value !== null && andon.shiftTo(timeOfDay(shiftEnd.value))}
          </span>
          <b>{timeOfDay(now.value)}</b>
        </div>
      </header>
      <section class="list" ref={list.ref} aria-label={andon.tiles}>
        {old !== null && (
          <div class="line line-silent">
            <Icon name={old.icon} />
            <span class="why">{old.text}</span>
          </div>
        )}
        {shown.map(({ live }) => (
          <WallLine key={live.machineId} live={live} isOld={old !== null} />
        ))}
      </section>
      <Quiet hidden={loud.length - shown.length + list.hidden} />
    </main>
  );
}

/**
 * How many lines the list has no room for. Those that do not fit whole begin a second column, which is out of sight
 * (components.css). `key` changes with the lines.
 */
function useHiddenLines(key: string) {
  const ref = useRef<HTMLElement>(null);
  const hidden = useSignal(0);
  useEffect(() => {
    const lines = [...(ref.current?.children ?? [])].filter((child) => child instanceof HTMLElement);
    const watch = new ResizeObserver(() => {
      hidden.value = lines.filter(({ offsetLeft }) => offsetLeft !== lines[0]?.offsetLeft).length;
    });
    for (const box of [ref.current, ...lines]) if (box !== null) watch.observe(box);
    return () => watch.disconnect();
  }, [key, hidden]);
  return { ref, hidden: hidden.value };
}

/** One machine of the wall. While no changes arrive it has no colour, because colour stands for the present state. */
function WallLine({ live, isOld }: { readonly live: LiveMachine; readonly isOld: boolean }) {
  const state = live.state.value;
  const reason = useComputed(() => shortReasonOf(live));
  const lasting = useAge(live);
  const kind = isOld ? '' : LINES[state];
  const { length } = live.name.value;
  return (
    <div class={`line ${kind} ${needsPerson(state) ? '' : 'line-s'}`}>
      <Icon name={STATE_ICONS[state]} />
      <span class={length > LARGE_LETTERS ? 'name name-long' : 'name'} style={{ '--letters': length }}>
        {live.name}
      </span>
      <span class="why">{reason}</span>
      <span class="t">
        <small>{words.value.states[state]}</small>
        {lasting}
      </span>
    </div>
  );
}

const LINES: Readonly<Record<ShownState, string>> = {
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

const QUIET_STATES = ['running', 'stopped', 'off'] as const;

/** The number of machines in each quiet state, and their names as far as the line has room. */
function Quiet({ hidden }: { readonly hidden: number }) {
  return (
    <footer class="still-run">
      {hidden > 0 && <b>{words.value.andon.hidden(hidden)}</b>}
      {QUIET_STATES.map((state) => (
        <QuietState key={state} state={state} />
      ))}
    </footer>
  );
}

function QuietState({ state }: { readonly state: (typeof QUIET_STATES)[number] }) {
  const machines = useComputed(() =>
    placedMachines.value.flatMap(({ live }) => (live.state.value === state ? [live] : [])),
  ).value;
  if (machines.length === 0) return null;
  return (
    <div class={state === 'running' ? 'many' : ''}>
      <b>{words.value.andon.counted[state](machines.length)}</b>{' '}
      {machines.slice(0, SHOWN_NAMES).map(({ machineId, name }) => (
        <span key={machineId}>{name} </span>
      ))}
    </div>
  );
}
