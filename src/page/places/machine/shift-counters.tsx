import { DAY_MS } from '../../../domain/time.ts';
import type { ProductionView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { useResource } from '../../app/use-resource.ts';
import type { Machine } from '../../plant/shown-state.ts';
import { Count } from '../../show/count.tsx';
import { FileLink } from '../../show/file-link.tsx';
import { age, number, percent, timeOfDay } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';

const REFRESHED = { everyMs: 15_000 };

/** Production and times of this shift. Counters are live, times a few seconds old. */
export function ShiftCounters({ machine }: { readonly machine: Machine }) {
  const { machineId, shift } = machine;
  const path = `/machines/${encodeURIComponent(machineId)}/production`;
  const load = () => call<ProductionView>('GET', path);
  const production = useResource(path, load, REFRESHED).value;
  const { andon, machine: texts } = words.value;
  const { goodParts, badParts } = shift;
  const made = goodParts + badParts;
  return (
    <section class="pane" aria-label={texts.shift}>
      <div class="head">
        <h2 class="h3">{texts.shift}</h2>
        <span class="dim push">{texts.since(timeOfDay(shift.startsAt))}</span>
        {production !== null && (
          <FileLink class="btn btn-icon" label={texts.productionCsv} path={exportPath(machineId, production.shiftDate)}>
            <Icon name="download" />
          </FileLink>
        )}
      </div>
      <div class="counts">
        <Count value={number(goodParts)} label={andon.good} />
        <Count value={number(badParts)} label={texts.scrapShare(percent(made === 0 ? 0 : badParts / made))} />
      </div>
      <Times totals={production?.shifts.find((one) => one.shift === shift.shiftName) ?? null} />
    </section>
  );
}

const EXPORTED_DAYS = 31;

/** The last month up to a production day. */
function exportPath(machineId: string, shiftDate: string): string {
  const from = new Date(Date.parse(shiftDate) - (EXPORTED_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  return `/production.csv?from=${from}&to=${shiftDate}&machineId=${encodeURIComponent(machineId)}`;
}

function Times({ totals }: { readonly totals: ProductionView['shifts'][number] | null }) {
  if (totals === null) return null;
  const texts = words.value.machine;
  const { runningSeconds, stoppedSeconds, downSeconds, faultSeconds, offlineSeconds } = totals;
  const duration = (seconds: number) => age(seconds * 1_000);
  const spoken = [
    [texts.running, runningSeconds],
    [texts.stopped, stoppedSeconds],
    [texts.down, downSeconds],
    [texts.offline, offlineSeconds],
  ] as const;
  return (
    <>
      <div
        class="share"
        role="img"
        aria-label={spoken.map(([name, seconds]) => `${name} ${duration(seconds)}`).join(', ')}
      >
        <i style={{ flex: runningSeconds }} />
        <i class="stopped" style={{ flex: stoppedSeconds }} />
        <i class="down" style={{ flex: downSeconds }} />
        <i class="offline" style={{ flex: offlineSeconds }} />
      </div>
      <div class="counts counts-3">
        <Count isSmall value={duration(runningSeconds)} label={texts.running} />
        <Count isSmall value={duration(downSeconds)} label={texts.down} />
        <Count isSmall value={duration(faultSeconds)} label={texts.faulty} />
      </div>
    </>
  );
}
