import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SyncStatus } from '../../../flows/forward/sync-status-ports.ts';
import type { QueueSample, SystemView } from '../../../flows/local-api/system-ports.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import type { Diagnostics } from '../../plant/diagnostics.ts';
import { now } from '../../show/clock.ts';
import { age, number } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { type Client, Clients } from './clients.tsx';
import { DamagedPane } from './damaged-pane.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { Health } from './health.tsx';
import { QueueHistory } from './queue-history.tsx';
import { Troubles } from './troubles.tsx';

const REFRESH_MS = 5_000;

/** The place Sync: the condition of the gateway and of its exchange with the central server, first in one sentence. */
export function Sync() {
  const status = useSignal<SyncStatus | null>(null);
  const diagnostics = useSignal<Diagnostics | null>(null);
  const system = useSignal<SystemView | null>(null);
  const history = useSignal<readonly QueueSample[]>([]);
  const clients = useSignal<readonly Client[]>([]);
  useEffect(() => {
    const load = async () => {
      const [sync, trouble, parts, samples, connected] = await Promise.all([
        call<SyncStatus>('GET', '/sync'),
        call<Diagnostics>('GET', '/diagnostics'),
        call<SystemView>('GET', '/system'),
        call<readonly QueueSample[]>('GET', '/sync/history'),
        call<readonly Client[]>('GET', '/clients'),
      ]);
      if (sync.kind === 'done') status.value = sync.value;
      if (trouble.kind === 'done') diagnostics.value = trouble.value;
      if (parts.kind === 'done') system.value = parts.value;
      if (samples.kind === 'done') history.value = samples.value;
      if (connected.kind === 'done') clients.value = connected.value;
    };
    void load();
    const timer = setInterval(() => !document.hidden && void load(), REFRESH_MS);
    const leave = onEvent('sync', () => void load());
    return () => {
      clearInterval(timer);
      leave();
    };
  }, [status, diagnostics, system, history, clients]);
  const { sync: said, trouble } = words.value;
  if (status.value === null || diagnostics.value === null || system.value === null)
    return <Frame answer={trouble.waits} children={null} />;
  const { queue, setAsideCount, mirror } = status.value;
  return (
    <Frame answer={answerOf(status.value)} more={setAsideCount === 0 ? '' : said.setAside(setAsideCount)}>
      {status.value.upstream.state !== 'disabled' && <QueueHistory samples={history.value} />}
      {system.value.disk.setAside !== null && <DamagedPane damaged={system.value.disk.setAside} />}
      <Health status={status.value} system={system.value} diagnostics={diagnostics.value} />
      <div class="cols cols-tasks">
        <DeadLetters letters={status.value.setAside} count={setAsideCount} />
        <section class="pane stack" aria-label={said.waiting}>
          <h2 class="h3">{said.waiting}</h2>
          <dl class="facts">
            <dt>{said.records}</dt>
            <dd class="num">{number(queue.depth)}</dd>
            <dt>{said.oldest}</dt>
            <dd>{queue.oldestAt === null ? '–' : age(now.value - Date.parse(queue.oldestAt))}</dd>
            <dt>{said.held}</dt>
            <dd class="num">{number(queue.held.depth)}</dd>
            {mirror.map(({ kind, lastMirroredAt }) => (
              <div class="fact" key={kind}>
                <dt>{said.copyOf(kind)}</dt>
                <dd>{lastMirroredAt === null ? '–' : said.old(age(now.value - Date.parse(lastMirroredAt)))}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <Troubles diagnostics={diagnostics.value} />
      <Clients clients={clients.value} />
    </Frame>
  );
}

/** Machines run on without the central server: the sentence says so. */
function answerOf({ upstream, queue }: SyncStatus): string {
  const { sync: said } = words.value;
  const sinceMs = upstream.since === null ? 0 : now.value - Date.parse(upstream.since);
  switch (upstream.state) {
    case 'disabled':
      return said.alone;
    case 'online':
      return queue.depth === 0 ? said.allSent : said.sending(number(queue.depth));
    case 'offline':
      return said.away(age(sinceMs), number(queue.depth));
    case 'refused':
      return said.refused(age(sinceMs), number(queue.depth));
  }
}
