import type { ReportView, StopView, SumsView } from '../../../../flows/production/production-views.ts';
import { call } from '../../../api/call.ts';
import { Choose } from '../../../app/choose.tsx';
import { Frame } from '../../../app/frame.tsx';
import { amend, choose, type Route } from '../../../app/route.ts';
import { useResource } from '../../../app/use-resource.ts';
import { gatewayName } from '../../../plant/fleet.ts';
import { now } from '../../../show/clock.ts';
import { FileLink } from '../../../show/file-link.tsx';
import { timeZone } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { Link } from '../../../show/link.tsx';
import { words } from '../../../words/words.ts';
import { daysOf, PERIODS, type Period } from '../../production/choice.ts';
import { StopsByReason } from '../../production/downtime-view.tsx';
import { headline } from '../../production/figures.tsx';
import { Trend } from '../../production/shifts-view.tsx';
import { SumsTable } from '../../production/sums-table.tsx';
import { Patterns } from '../../production/time-mix.tsx';
import { fleetWords } from '../fleet-words.ts';
import { MachineCourse } from '../machine/machine-course.tsx';
import { useFleet } from '../plants.tsx';

/** The periods of all plants: their present shifts differ. */
const OFFERED = PERIODS.filter((period) => period !== 'shift');
const REFRESHED = { everyMs: 60_000, tellsRefusal: true };

interface FleetProductionProps {
  /** '': all gateways; the id of one; or `gateway/machine`. */
  readonly of: string;
  readonly period: string | undefined;
}

/** What all plants made, one of them, or one machine, and what it cost. */
export function FleetProduction({ of, period: asked }: FleetProductionProps) {
  const period: Period = OFFERED.find((one) => one === asked) ?? '7d';
  const today = new Date(now.value).toLocaleDateString('sv-SE', { timeZone });
  const { from, to } = daysOf(period, today);
  const isMachine = of.includes('/');
  const scope = `${new URLSearchParams({ from, to, ...(isMachine ? { machineId: of } : { gatewayId: of || '*' }) })}`;
  const rows = useReport<SumsView>('sums', `by=${isMachine ? 'day' : of === '' ? 'gateway' : 'machine'}&${scope}`);
  const days = useReport<SumsView>('sums', `by=day&${scope}`);
  const stops = useReport<StopView>('stops', `by=reason&compare=before&${scope}`);
  const { gatewayId, machineId } = partsOf(of);
  const texts = fleetWords.value.production;
  if (rows === null || days === null || stops === null)
    return <Frame answer={words.value.trouble.waits} back={backTo(of, period)} children={null} />;
  return (
    <Frame answer={headline(rows.total, period)} more={texts.asOf} back={backTo(of, period)}>
      <Patterns />
      <AskBar of={of} period={period} scope={scope} />
      {machineId === null ? (
        <Rows report={rows} of={of} period={period} />
      ) : (
        <MachineCourse gatewayId={gatewayId} machineId={machineId} scope={scope} days={days} />
      )}
      <Trend rows={days.rows} />
      <StopsByReason report={stops} scope={scope} nameOf={(id) => partsOf(id).machineId ?? id} />
    </Frame>
  );
}

function useReport<Row>(kind: 'sums' | 'stops', query: string) {
  const path = `/production/${kind}?${query}`;
  return useResource(path, () => call<ReportView<Row>>('GET', path), REFRESHED).value;
}

/** `gateway/machine`, or the id of a gateway. */
function partsOf(of: string): { readonly gatewayId: string; readonly machineId: string | null } {
  const at = of.lastIndexOf('/');
  return at < 0 ? { gatewayId: of, machineId: null } : { gatewayId: of.slice(0, at), machineId: of.slice(at + 1) };
}

function placeOf(production: string, period: Period): Route {
  return { place: 'plants', production, period };
}

function backTo(of: string, period: Period): { readonly to: Route; readonly label: string } {
  if (of === '') return { to: { place: 'plants' }, label: words.value.places.plants };
  const { gatewayId, machineId } = partsOf(of);
  if (machineId !== null) return { to: placeOf(gatewayId, period), label: gatewayId };
  return { to: placeOf('', period), label: fleetWords.value.production.ofAll };
}

interface AskBarProps {
  readonly of: string;
  readonly period: Period;
  readonly scope: string;
}

/** Period and plant, and the totals of all shifts as a file. */
function AskBar({ of, period, scope }: AskBarProps) {
  const texts = words.value.production;
  const { ofAll, gateway, totals } = fleetWords.value.production;
  const { gatewayId, machineId } = partsOf(of);
  const options = [
    ['', ofAll] as const,
    ...useFleet()
      .map((one) => [one.gatewayId, gatewayName(one)] as const)
      .sort(([, one], [, other]) => one.localeCompare(other)),
  ];
  return (
    <div class="ask">
      <div class="seg" role="group" aria-label={texts.period}>
        {OFFERED.map((one) => (
          <button type="button" key={one} aria-pressed={period === one} onClick={() => amend(placeOf(of, one))}>
            {texts.periods[one]}
          </button>
        ))}
      </div>
      {machineId === null && (
        <Choose
          label={gateway}
          value={gatewayId}
          options={options}
          onChoose={(chosen) => choose(placeOf(chosen, period))}
        />
      )}
      <FileLink path={`/production.csv?${scope}`} class="btn push" label={totals}>
        <Icon name="download" />
        CSV
      </FileLink>
    </div>
  );
}

interface RowsProps {
  readonly report: ReportView<SumsView>;
  readonly of: string;
  readonly period: Period;
}

/** Plant by plant, or the machines of one. */
function Rows({ report, of, period }: RowsProps) {
  const texts = words.value.production;
  const own = fleetWords.value.production;
  const isAll = of === '';
  if (report.rows.length === 0) return <p class="dim">{texts.nothing}</p>;
  const nameOf = ({ key, name }: SumsView) => (
    <Link to={placeOf(key ?? '', period)}>{name ?? partsOf(key ?? '').machineId ?? key}</Link>
  );
  return (
    <SumsTable
      report={report}
      title={isAll ? own.byGateway : texts.byMachine}
      column={isAll ? own.gateway : texts.machine}
      all={isAll ? own.gateways(report.rows.length) : texts.allMachines(report.rows.length)}
      nameOf={nameOf}
      noteOf={({ key, name, plannedSeconds }) =>
        plannedSeconds === 0 ? own.untold : name === null ? '' : (partsOf(key ?? '').machineId ?? key ?? '')
      }
      stopsOf={({ key }) => (key === null ? null : placeOf(key, period))}
    />
  );
}
