import type { Simulation, SimulationCounts } from '../../../simulator/simulation.ts';
import type { CommandIo } from '../../command-io.ts';

export const PROGRESS_INTERVAL_MS = 5_000;

/** Prints the progress of the simulation every few seconds; resolves when the command has to end. */
export function tellProgress(simulation: Pick<Simulation, 'counts'>, { stdout, signal }: CommandIo): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let before = simulation.counts();
    const timer = setInterval(() => {
      const now = simulation.counts();
      stdout(progressLine(before, now));
      before = now;
    }, PROGRESS_INTERVAL_MS);
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** `6 of 6 machines linked, 4 running, 10 statuses/s, 10 commands/s`, counted between two moments. */
export function progressLine(before: SimulationCounts, now: SimulationCounts): string {
  const perSecond = (from: number, to: number) => ((to - from) / (PROGRESS_INTERVAL_MS / 1_000)).toFixed(1);
  const rates = `${perSecond(before.statuses, now.statuses)} statuses/s, ${perSecond(before.commands, now.commands)} commands/s`;
  const line = `${now.linked} of ${now.machines} machines linked, ${now.running} running, ${rates}`;
  return now.linked === 0 ? `${line}; the gateway cannot be reached, trying again` : line;
}
