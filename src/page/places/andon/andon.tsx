import { useComputed } from '@preact/signals';
import { Frame } from '../../app/frame.tsx';
import { machineCount, needing, placedMachines } from '../../plant/machines.ts';
import type { PlacedMachine } from '../../plant/places.ts';
import { isQuiet, type ShownState } from '../../plant/shown-state.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { QuietMachine } from './quiet-machine.tsx';
import { Tile, WorstTile } from './tile.tsx';
import { ToldWorst } from './told-worst.tsx';

/**
 * Andon: which machine needs a person, since when, and why. It is rendered again only when a state, a name or the order
 * of the machines changes.
 */
export function Andon() {
  const placed = placedMachines.value;
  const loud = placed.filter(({ state }) => !isQuiet(state));
  const quiet = placed.filter(({ state }) => isQuiet(state));
  const [worst, ...others] = loud;
  const more = useComputed(summary).value;
  const { andon } = words.value;
  return (
    <Frame answer={answer()} more={more}>
      <ToldWorst />
      {machineCount.value === 0 && (
        <div class="pane empty">
          <Icon name="andon" />
          <b>{andon.noMachines}</b>
          <span>{andon.noMachinesHint}</span>
        </div>
      )}
      {worst !== undefined && (
        <section class="andon" aria-label={andon.tiles}>
          {isRed(worst) ? (
            <WorstTile key={worst.live.machineId} live={worst.live} />
          ) : (
            <Tile key={worst.live.machineId} live={worst.live} />
          )}
          {others.map(({ live }) => (
            <Tile key={live.machineId} live={live} />
          ))}
        </section>
      )}
      {quiet.length > 0 && (
        <>
          <p class="sect">
            <b>{andon.quiet(quiet.length)}</b>
            <span>{andon.nothingToDo}</span>
          </p>
          <section class="quiet" aria-label={andon.quietMachines}>
            {quiet.map(({ live }) => (
              <QuietMachine key={live.machineId} live={live} />
            ))}
          </section>
        </>
      )}
    </Frame>
  );
}

function isRed({ live }: PlacedMachine): boolean {
  const state = live.state.value;
  return state === 'held' || state === 'fault';
}

function answer(): string {
  const { andon, trouble } = words.value;
  if (machineCount.value === null) return trouble.waits;
  if (needing.value === 0) return andon.nobody;
  return needing.value === 1 ? andon.one : andon.many(needing.value);
}

function summary(): string {
  const { andon } = words.value;
  const states = placedMachines.value.map(({ live }) => live.state.value);
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
