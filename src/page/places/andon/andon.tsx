import { Frame } from '../../app/frame.tsx';
import { isQuiet, type ShownMachine } from '../../plant/machine-state.ts';
import { machines, needing, shownMachines } from '../../plant/machines.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { QuietMachine } from './quiet-machine.tsx';
import { Tile, WorstTile } from './tile.tsx';

/** Which machine needs a person, since when, and why? */
export function Andon() {
  const shown = shownMachines.value;
  const loud = shown.filter(({ state }) => !isQuiet(state));
  const quiet = shown.filter(({ state }) => isQuiet(state));
  const [worst, ...others] = loud;
  const { andon } = words.value;
  return (
    <Frame answer={answer()} more={summary(shown)}>
      {machines.value?.size === 0 && (
        <div class="pane empty">
          <Icon name="andon" />
          <b>{andon.noMachines}</b>
          <span>{andon.noMachinesHint}</span>
        </div>
      )}
      {worst !== undefined && (
        <section class="andon" aria-label={andon.tiles}>
          {isRed(worst) ? <WorstTile shown={worst} /> : <Tile shown={worst} />}
          {others.map((one) => (
            <Tile key={one.machine.machineId} shown={one} />
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
            {quiet.map((one) => (
              <QuietMachine key={one.machine.machineId} shown={one} />
            ))}
          </section>
        </>
      )}
    </Frame>
  );
}

function isRed({ state }: ShownMachine): boolean {
  return state === 'held' || state === 'fault';
}

function answer(): string {
  const { andon, trouble } = words.value;
  if (machines.value === null) return trouble.waits;
  if (needing.value === 0) return andon.nobody;
  return needing.value === 1 ? andon.one : andon.many(needing.value);
}

function summary(shown: readonly ShownMachine[]): string {
  const { andon } = words.value;
  const count = (...states: readonly ShownMachine['state'][]) =>
    shown.filter(({ state }) => states.includes(state)).length;
  const soon = count('soon', 'faultRunning');
  const overridden = count('override');
  const quiet = count('off', 'stopped', 'running');
  return [
    ...(soon > 0 ? [andon.soon(soon)] : []),
    ...(overridden > 0 ? [andon.overridden(overridden)] : []),
    ...(quiet > 0 ? [`${andon.quiet(quiet)}.`] : []),
  ].join(' ');
}
