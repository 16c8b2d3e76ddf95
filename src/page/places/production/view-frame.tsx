import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ReportView } from '../../../flows/production/production-views.ts';
import { call } from '../../api/call.ts';
import { Choose } from '../../app/choose.tsx';
import { Frame } from '../../app/frame.tsx';
import { useResource } from '../../app/use-resource.ts';
import { plantAreas, presentShift, stations } from '../../plant/machines.ts';
import { FileLink } from '../../show/file-link.tsx';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import {
  areaChoice,
  areaOf,
  choice,
  chooseProduction,
  days,
  PERIODS,
  type Period,
  productionRoute,
  VIEWS,
  type View,
} from './choice.ts';
import { Patterns } from './time-mix.tsx';

interface ViewProps {
  readonly answer: string;
  readonly more?: string;
  /** The table behind the view as a file; empty: there is none. */
  readonly file: string;
  readonly shiftNames?: readonly string[];
  readonly asks?: boolean;
  readonly children: ComponentChildren;
}

/** The frame of each view: the views, and the bar with the choice. */
export function ViewFrame({ answer, more = '', file, shiftNames = [], asks = true, children }: ViewProps) {
  return (
    <Frame answer={answer} more={more}>
      <Patterns />
      <Views file={file} />
      {asks && <AskBar shiftNames={shiftNames} />}
      {children}
    </Frame>
  );
}

function Views({ file }: { readonly file: string }) {
  const { view } = choice.value;
  const texts = words.value.production;
  return (
    <>
      <div class="viewrow wide-only">
        <nav class="views" aria-label={texts.viewsOf}>
          {VIEWS.map((one) => (
            <Link key={one} to={productionRoute({ view: one, by: '', find: '' })} class="view" current={one === view}>
              {texts.views[one]}
            </Link>
          ))}
        </nav>
        <span class="push acts">
          {file !== '' && (
            <FileLink path={file} class="btn btn-icon" label={texts.download}>
              <Icon name="download" />
            </FileLink>
          )}
          <button type="button" class="btn btn-icon" aria-label={texts.print} onClick={() => print()}>
            <Icon name="print" />
          </button>
        </span>
      </div>
      <div class="ask narrow-only">
        <Choose
          label={texts.view}
          value={view}
          options={VIEWS.map((one) => [one, texts.views[one]] as const)}
          onChoose={(chosen) => chooseProduction({ view: chosen as View, by: '', find: '' })}
        />
      </div>
    </>
  );
}

const REFRESHED = { everyMs: 30_000 };

/** A report of the gateway for the chosen days, machines and shift; loaded again while it is shown. */
export function useReport<Row>(kind: 'sums' | 'work' | 'stops', query: string) {
  const path = `/production/${kind}?${query}`;
  return useResource(path, () => call<ReportView<Row>>('GET', path), REFRESHED).value;
}

interface AskBarProps {
  /** Shifts that can be chosen; empty: the view shows them side by side, or one. */
  readonly shiftNames: readonly string[];
}

/** Period, machines and shift. A choice goes along from view to view. */
function AskBar({ shiftNames }: AskBarProps) {
  const { period, shift } = choice.value;
  const texts = words.value.production;
  const isTyping = useSignal(!isNamed(period));
  return (
    <div class="ask">
      <div class="seg" role="group" aria-label={texts.period}>
        {PERIODS.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={!isTyping.value && period === one}
            onClick={() => {
              isTyping.value = false;
              chooseProduction({ period: one });
            }}
          >
            {texts.periods[one]}
          </button>
        ))}
        <button type="button" aria-pressed={isTyping.value} onClick={() => (isTyping.value = true)}>
          {texts.fromTo}
        </button>
      </div>
      {isTyping.value && <Dates />}
      <MachineChoice />
      {shiftNames.length > 1 && period !== 'shift' && (
        <Choose
          label={texts.shift}
          value={shift}
          options={[['all', texts.allShifts], ...shiftNames.map((name) => [name, name] as const)]}
          onChoose={(name) => chooseProduction({ shift: name })}
        />
      )}
    </div>
  );
}

function isNamed(period: Period): boolean {
  return PERIODS.some((one) => one === period);
}

function Dates() {
  const range = days.value;
  const { fromDay, toDay } = words.value.production;
  if (range === null) return null;
  const put = (change: { readonly from?: string; readonly to?: string }) => {
    const { from, to } = { ...range, ...change };
    if (from !== '' && to !== '') chooseProduction({ period: from <= to ? `${from}..${to}` : `${to}..${from}` });
  };
  const last = presentShift.value?.shiftDate;
  return (
    <>
      <input
        type="date"
        class="input"
        aria-label={fromDay}
        value={range.from}
        max={last}
        onChange={({ currentTarget }) => put({ from: currentTarget.value })}
      />
      <input
        type="date"
        class="input"
        aria-label={toDay}
        value={range.to}
        max={last}
        onChange={({ currentTarget }) => put({ to: currentTarget.value })}
      />
    </>
  );
}

function MachineChoice() {
  const { machines } = choice.value;
  const texts = words.value.production;
  const all = stations.value;
  const areas = plantAreas.value;
  const known = areaOf(machines);
  const options: (readonly [string, string])[] = [
    ['all', texts.allMachines(all.length)],
    ...areas.map((area) => [areaChoice(area), texts.area(area)] as const),
    ...all.map(({ machineId, name }) => [machineId, name] as const),
  ];
  // An area of an old link may have no machine any more.
  if (known !== null && !areas.includes(known)) options.push([machines, texts.area(known)]);
  return (
    <Choose
      label={texts.machines}
      value={machines}
      options={options}
      onChoose={(chosen) => chooseProduction({ machines: chosen })}
    />
  );
}
