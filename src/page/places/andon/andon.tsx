import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { line } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import { areaName, MachineFilter } from '../../app/machine-filter.tsx';
import { MoreButton } from '../../app/more-button.tsx';
import type { LiveMachine } from '../../plant/live-machine.ts';
import { machineCount, placedMachines, shownAsOfMs } from '../../plant/machines.ts';
import type { PlacedMachine } from '../../plant/places.ts';
import { isQuiet, needsPerson, type ShownState } from '../../plant/shown-state.ts';
import { isFound, isInArea } from '../../plant/station-choice.ts';
import { unattainableTasks, whyUnattainable } from '../../plant/tasks.ts';
import { number, timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { STATE_BANDS, STATE_ICONS } from '../../show/state-icons.ts';
import { words } from '../../words/words.ts';
import { useAge } from './age.ts';
import { andonChoice, chooseAndon } from './choice.ts';
import { QuietMachines } from './quiet-machines.tsx';
import { reasonOf } from './why.ts';

/**
 * Andon: which machine needs a person, since when, and why. It is rendered again only when a state, a name or the order
 * of the machines changes.
 */
export function Andon() {
  const choice = andonChoice.value;
  const { area, find } = choice;
  const inArea = placedMachines.value.filter(({ live }) => isInArea({ area: live.area.value }, area));
  const found = inArea.filter(({ live: { machineId }, name }) => isFound({ machineId, name }, find));
  const isAsked = area !== null || find !== '';
  const key = `${area} ${find}`;
  const { andon, near } = words.value;
  return (
    <Frame
      answer={answerOf(inArea)}
      more={[area === null ? '' : `${areaName(area)}.`, summaryOf(inArea)].join(' ').trim()}
    >
      <ToldWorst />
      <TasksInTrouble />
      <MachineFilter choice={choice} onChoose={chooseAndon} />
      {machineCount.value === 0 && (
        <div class="pane empty">
          <Icon name="andon" />
          <b>{andon.noMachines}</b>
          <span>{andon.noMachinesHint}</span>
        </div>
      )}
      {found.length === 0 && isAsked && <p class="dim">{near.none}</p>}
      <LoudMachines key={`loud ${key}`} loud={found.filter(({ state }) => !isQuiet(state))} />
      <QuietMachines key={`quiet ${key}`} quiet={found.filter(({ state }) => isQuiet(state))} isAsked={isAsked} />
    </Frame>
  );
}

/** Tiles that are drawn at once. */
const LOUD_AT_ONCE = 24;
const MORE_AT_ONCE = 100;

/** The machines that are not quiet, worst first. */
function LoudMachines({ loud }: { readonly loud: readonly PlacedMachine[] }) {
  const limit = useSignal(LOUD_AT_ONCE);
  const [worst, ...others] = loud.slice(0, limit.value);
  if (worst === undefined) return null;
  return (
    <>
      <section class="andon" aria-label={words.value.andon.tiles}>
        {isRed(worst) ? (
          <WorstTile key={worst.live.machineId} live={worst.live} />
        ) : (
          <Tile key={worst.live.machineId} live={worst.live} />
        )}
        {others.map(({ live }) => (
          <Tile key={live.machineId} live={live} />
        ))}
      </section>
      <MoreButton shown={limit.value} total={loud.length} onMore={() => (limit.value += MORE_AT_ONCE)} />
    </>
  );
}

/** Machines come first at Andon. */
const SHOWN_TASKS = 5;

/** The tasks that cannot be done: each is a coil that does not come. */
function TasksInTrouble() {
  const tasks = unattainableTasks.value;
  if (tasks.length === 0) return null;
  const { tasks: texts } = words.value;
  return (
    <ul class="stack" aria-label={texts.cannotCount(tasks.length)}>
      {tasks.slice(0, SHOWN_TASKS).map((task) => (
        <li key={task.taskId}>
          <Link to={{ place: 'task', taskId: task.taskId }} class="cannot">
            <Icon name="warn" />
            <span>
              <b>{texts.heading(task.taskId, task.destinationLocation)}</b>{' '}
              {texts.cannotBe(whyUnattainable(task) ?? '')} {task.userName !== null && texts.saidBy(task.userName)}
            </span>
            <Icon name="arrow" />
          </Link>
        </li>
      ))}
      {tasks.length > SHOWN_TASKS && (
        <li>
          <Link to={{ place: 'tasks' }} class="btn">
            {words.value.andon.hidden(tasks.length - SHOWN_TASKS)}
          </Link>
        </li>
      )}
    </ul>
  );
}

function isRed({ live }: PlacedMachine): boolean {
  const state = live.state.value;
  return state === 'held' || state === 'fault';
}

function answerOf(placed: readonly PlacedMachine[]): string {
  const { andon, trouble } = words.value;
  if (machineCount.value === null) return trouble.waits;
  const needing = placed.filter(({ live }) => needsPerson(live.state.value)).length;
  if (needing === 0) return andon.nobody;
  return needing === 1 ? andon.one : andon.many(needing);
}

function summaryOf(placed: readonly PlacedMachine[]): string {
  const { andon } = words.value;
  const states = placed.map(({ live }) => live.state.value);
  const count = (...sought: readonly ShownState[]) => states.filter((state) => sought.includes(state)).length;
  const soon = count('soon', 'faultRunning');
  const overridden = count('override');
  const quiet = count('off', 'stopped', 'running');
  return [
    ...(soon > 0 ? [andon.soon(soon)] : []),
    ...(overridden > 0 ? [andon.overridden(overridden)] : []),
    ...(quiet > 0 ? [`${andon.quiet(quiet)}.`] : []),
  ].join(' ');
}

/** More often would talk over everything else. */
const TELL_EVERY_MS = 10_000;
/** Machines and tasks come one after the other when the page is loaded. */
const SETTLING_MS = 1_000;

/** Tells screen readers which machine needs a person most, when it becomes another. */
function ToldWorst() {
  const worst = useComputed(worstText);
  const told = useSignal('');
  const toldAtMs = useRef(Number.NEGATIVE_INFINITY);
  useSignalEffect(() => {
    const text = worst.value;
    const waitMs = Math.max(SETTLING_MS, toldAtMs.current + TELL_EVERY_MS - performance.now());
    const timer = setTimeout(() => {
      told.value = text;
      // Silence talks over nothing: the first machine is told at once, however late the machines come.
      if (text !== '') toldAtMs.current = performance.now();
    }, waitMs);
    return () => clearTimeout(timer);
  });
  return (
    <p class="sr" aria-live="polite">
      {told}
    </p>
  );
}

function worstText(): string {
  const first = placedMachines.value.find(({ state }) => needsPerson(state));
  return first === undefined ? '' : `${first.live.name.value}: ${words.value.states[first.live.state.value]}`;
}

interface TileProps {
  readonly live: LiveMachine;
}

/** The machine that needs a person most: filled, with the main action. */
function WorstTile({ live }: TileProps) {
  const reason = useComputed(() => reasonOf(live));
  if (line.value.kind !== 'live') return <Tile live={live} />;
  return (
    <article class="tile tile-worst on-red">
      <Band live={live} />
      <div class="in">
        <h2 class="name">{live.name}</h2>
        <p class="why">{reason}</p>
        <Made live={live} withPart />
        <Link to={{ place: 'machine', machineId: live.machineId }} class="btn btn-main btn-wide">
          {words.value.andon.open(live.name.value)}
          <Icon name="arrow" />
        </Link>
      </div>
    </article>
  );
}

/** A machine that is not quiet. While no changes arrive it has no colour: colour stands for the present state. */
function Tile({ live }: TileProps) {
  const reason = useComputed(() => reasonOf(live));
  const isOld = line.value.kind !== 'live';
  return (
    <Link to={{ place: 'machine', machineId: live.machineId }} class={isOld ? 'tile old' : 'tile'}>
      <Band live={live} />
      <div class="in">
        <h2 class="name">{live.name}</h2>
        <p class="why">{reason}</p>
        {isOld && <p class="why">{words.value.trouble.asOf(timeOfDay(shownAsOfMs.value))}</p>}
        <Made live={live} withPart={false} />
      </div>
    </Link>
  );
}

function Band({ live }: TileProps) {
  const state = live.state.value;
  const lasting = useAge(live);
  return (
    <div class={`band ${STATE_BANDS[state] ?? ''}`}>
      <Icon name={STATE_ICONS[state]} />
      <span class="w">{words.value.states[state]}</span>
      {live.sinceMs.value !== null && <span class="t">{lasting}</span>}
    </div>
  );
}

function Made({ live: { machine }, withPart }: TileProps & { readonly withPart: boolean }) {
  const goodParts = useComputed(() => number(machine.value.shift.goodParts));
  const badParts = useComputed(() => number(machine.value.shift.badParts));
  const part = useComputed(() => machine.value.part?.partName ?? machine.value.part?.partId ?? '').value;
  const { good, scrap } = words.value.andon;
  return (
    <p class="made">
      {withPart && part !== '' && <span>{part}</span>}
      <span>
        <b>{goodParts}</b> {good}
      </span>
      <span>
        <b>{badParts}</b> {scrap}
      </span>
    </p>
  );
}
