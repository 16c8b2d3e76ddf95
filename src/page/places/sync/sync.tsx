import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import type { SyncStatus } from '../../../flows/forward/sync-status-ports.ts';
import type { QueueSample, SystemView } from '../../../flows/local-api/system-ports.ts';
import { isCentral } from '../../api/address.ts';
import { call } from '../../api/call.ts';
import { onEvent } from '../../api/live.ts';
import { Frame } from '../../app/frame.tsx';
import type { DamagedDatabase } from '../../plant/damaged-database.ts';
import { type Diagnostics, type Fault, troublesOf } from '../../plant/diagnostics.ts';
import { now } from '../../show/clock.ts';
import { age, number, timeOfDay, timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { senderName } from '../../show/sender.ts';
import { TroubleText } from '../../show/trouble-text.tsx';
import { words } from '../../words/words.ts';
import { type Client, Clients } from './clients.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { Health } from './health.tsx';

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
  const { sync: texts, trouble } = words.value;
  if (status.value === null || diagnostics.value === null || system.value === null)
    return <Frame answer={trouble.waits} children={null} />;
  const { queue, setAsideCount, mirror } = status.value;
  return (
    <Frame answer={answerOf(status.value)} more={setAsideCount === 0 ? '' : texts.setAside(setAsideCount)}>
      {status.value.upstream.state !== 'disabled' && <QueueHistory samples={history.value} />}
      {system.value.disk.setAside !== null && <DamagedPane damaged={system.value.disk.setAside} />}
      <Health status={status.value} system={system.value} diagnostics={diagnostics.value} />
      {!isCentral && (
        <div class="cols cols-tasks">
          <DeadLetters letters={status.value.setAside} count={setAsideCount} />
          <section class="pane stack" aria-label={texts.waiting}>
            <h2 class="h3">{texts.waiting}</h2>
            <dl class="facts">
              <dt>{texts.records}</dt>
              <dd class="num">{number(queue.depth)}</dd>
              <dt>{texts.oldest}</dt>
              <dd>{queue.oldestAt === null ? '–' : age(now.value - Date.parse(queue.oldestAt))}</dd>
              <dt>{texts.held}</dt>
              <dd class="num">{number(queue.held.depth)}</dd>
              {mirror.map(({ kind, lastMirroredAt }) => (
                <div class="fact" key={kind}>
                  <dt>{texts.copyOf(kind)}</dt>
                  <dd>{lastMirroredAt === null ? '–' : texts.old(age(now.value - Date.parse(lastMirroredAt)))}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
      )}
      <Troubles diagnostics={diagnostics.value} />
      <Clients clients={clients.value} />
    </Frame>
  );
}

/** Machines run on without the central server: the sentence says so. */
function answerOf({ upstream, queue }: SyncStatus): string {
  const { sync: texts } = words.value;
  const sinceMs = upstream.since === null ? 0 : now.value - Date.parse(upstream.since);
  switch (upstream.state) {
    case 'disabled':
      return isCentral ? texts.isCentral : texts.alone;
    case 'online':
      return queue.depth === 0 ? texts.allSent : texts.sending(number(queue.depth));
    case 'offline':
      return texts.away(age(sinceMs), number(queue.depth));
    case 'refused':
      return texts.refused(age(sinceMs), number(queue.depth));
  }
}

/** The losses of a damaged database, the place of its old file, and the things to do. */
function DamagedPane({ damaged: { file, at, losses } }: { readonly damaged: DamagedDatabase }) {
  const { damage: texts } = words.value;
  return (
    <section class="pane stack" aria-label={texts.heading}>
      <h2 class="h3 note-line">
        <Icon name="warn" />
        {texts.title(at === null ? null : timeOrDate(at))}
      </h2>
      {losses.length === 0 ? (
        <p>{texts.allSaved}</p>
      ) : (
        <dl class="facts facts-log">
          {losses.map(({ table, reason }) => (
            <div class="fact" key={table}>
              <dt>{table === null ? texts.everything : texts.table(table)}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
      )}
      <p>
        {texts.liesAt} <code>{file}</code>
      </p>
      <ol class="numbered">
        {texts.toDo.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

const WIDTH = 960;
const HEIGHT = 120;
const SHOWN_MS = DAY_MS;
const HOURS_APART = 6;

/** The queue for the central server over a day. */
function QueueHistory({ samples }: { readonly samples: readonly QueueSample[] }) {
  const { sync: texts } = words.value;
  const peak = samples.reduce<QueueSample | null>((top, one) => (one.depth > (top?.depth ?? 0) ? one : top), null);
  const summary = peak === null ? texts.neverWaited : texts.peak(number(peak.depth), timeOfDay(peak.at));
  return (
    <section class="pane stack" aria-label={texts.overDay}>
      <div class="head head-small">
        <h2 class="h3">{texts.overDay}</h2>
        <span class="dim push">{summary}</span>
      </div>
      <svg
        class="queue-history"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${texts.overDay}. ${summary}`}
      >
        <path class="grid" d={`M0 4H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 4}H${WIDTH}`} />
        <path class="area" d={areaOf(samples, peak?.depth ?? 0, now.value)} />
      </svg>
      <p class="hours small dim" aria-hidden="true">
        {hours(now.value).map((atMs) => (
          <span key={atMs}>{atMs === now.value ? texts.now : timeOfDay(atMs)}</span>
        ))}
      </p>
    </section>
  );
}

function areaOf(samples: readonly QueueSample[], peak: number, nowMs: number): string {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || peak === 0) return '';
  const x = (at: string) => (WIDTH - ((nowMs - Date.parse(at)) / SHOWN_MS) * WIDTH).toFixed(1);
  const points = samples.map(({ at, depth }) => `${x(at)} ${(HEIGHT - 4 - (depth / peak) * (HEIGHT - 8)).toFixed(1)}`);
  return `M${x(first.at)} ${HEIGHT - 4}L${points.join('L')}L${x(last.at)} ${HEIGHT - 4}Z`;
}

function hours(nowMs: number): readonly number[] {
  return [4, 3, 2, 1, 0].map((steps) => nowMs - steps * HOURS_APART * HOUR_MS);
}

const SHOWN = 5;

/** The latest faults, in the gateway's own words. */
function Troubles({ diagnostics }: { readonly diagnostics: Diagnostics }) {
  const { sync: texts } = words.value;
  const kinds = Object.keys(diagnostics.counts).filter((kind) => troublesOf(diagnostics, kind).length > 0);
  if (kinds.length === 0) return null;
  return (
    <section class="pane stack" aria-label={texts.troubles}>
      <h2 class="h3">{texts.troubles}</h2>
      {kinds.map((kind) => (
        <details key={kind}>
          <summary>
            <Icon name="right" kind="turn" />
            {texts.kindOf(kind)} <span class="dim num">{diagnostics.counts[kind]}</span>
          </summary>
          <dl class="facts facts-log">
            {troublesOf(diagnostics, kind)
              .slice(0, SHOWN)
              .map(({ subject, count, lastAt, address, faults }) => (
                <div class="fact" key={subject}>
                  <dt>
                    {timeOrDate(lastAt)} {senderName(subject)}{' '}
                    {address !== null && !subject.includes(address) && address} {count > 1 && `${count} ×`}
                  </dt>
                  <dd>
                    <TroubleText
                      kind={kind}
                      meantFor={meantForAll(faults)}
                      details={faults.map((fault) => `${fault.count > 1 ? `${fault.count} × ` : ''}${fault.detail}`)}
                    />
                  </dd>
                </div>
              ))}
          </dl>
        </details>
      ))}
    </section>
  );
}

/** The machine that was meant, if it is the same for all faults. */
function meantForAll(faults: readonly Fault[]): string | null {
  const [first, ...others] = new Set(faults.map(({ meantFor }) => meantFor));
  return others.length === 0 ? (first ?? null) : null;
}
