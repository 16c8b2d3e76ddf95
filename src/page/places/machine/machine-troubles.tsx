import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TroubleView } from '../../../flows/local-api/local-api-ports.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { now } from '../../show/clock.ts';
import { timeToTheSecond } from '../../show/format.ts';
import { senderName } from '../../show/sender.ts';
import { TroubleText } from '../../show/trouble-text.tsx';
import { words } from '../../words/words.ts';

const SHOWN = 8;
const SHOWN_MS = 60 * 60_000;

/** For PLC people: what went wrong between the device and the gateway in the last hour, each with its cure. */
export function MachineTroubles({ machineId }: { readonly machineId: string }) {
  const troubles = useSignal<readonly TroubleView[]>([]);
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const path = `/machines/${encodeURIComponent(machineId)}/troubles`;
      const outcome = await call<{ readonly troubles: readonly TroubleView[] }>('GET', path);
      if (outcome.kind === 'done' && !isGone) troubles.value = outcome.value.troubles;
    };
    void load();
    const stopped = [onEvent('diagnostics', load), onEvent('reset', load)];
    return () => {
      isGone = true;
      for (const stop of stopped) stop();
    };
  }, [machineId, troubles]);
  const recent = troubles.value.filter(({ lastAt }) => now.value - Date.parse(lastAt) < SHOWN_MS).slice(0, SHOWN);
  const { sync, machine: said } = words.value;
  if (recent.length === 0) return null;
  return (
    <section class="pane" aria-label={said.troubles}>
      <h2 class="h3">{said.troubles}</h2>
      <dl class="facts facts-log">
        {recent.map(({ kind, subject, detail, count, lastAt, address, isCertain }) => (
          <div class="fact" key={`${kind} ${subject} ${detail}`}>
            <dt>
              {timeToTheSecond(lastAt)} {senderName(subject)}{' '}
              {address !== null && !subject.includes(address) && address} {count > 1 && `${count} ×`}
            </dt>
            <dd>
              <p>
                {sync.kindOf(kind)}
                {!isCertain && <span class="dim"> {said.perhapsThis}</span>}
              </p>
              <TroubleText kind={kind} meantFor={null} details={[detail]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
