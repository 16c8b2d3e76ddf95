import type { ReportView, StopView, SumsView } from '../../../../flows/production/production-views.ts';
import { call, type Outcome } from '../../../api/call.ts';
import { Choose } from '../../../app/choose.tsx';
import { Frame } from '../../../app/frame.tsx';
import { amend, choose, type Route } from '../../../app/route.ts';
import { isMissing } from '../../../app/tell-outcome.ts';
import { useResource } from '../../../app/use-resource.ts';
import { fleet, gatewayName } from '../../../plant/fleet.ts';
import { ownPlants, plantName, seesSeveral } from '../../../several-plants/own-plants.ts';
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
import { useFleet } from '../fleet-news.tsx';
import { fleetWords } from '../fleet-words.ts';
import { MachineCourse } from '../machine/machine-course.tsx';
import { askedAbout, type FleetScope, fleetScope, machineIn, ofPlant, rowName, rowsOf } from './fleet-scope.ts';

/** The periods of all plants: their present shifts differ. */
const OFFERED = PERIODS.filter((period) => period !== 'shift');
const REFRESHED = { everyMs: 60_000, tellsRefusal: true };

interface FleetProductionProps {
  /** As an address has it (fleet-scope.ts). */
  readonly of: string;
  readonly period: string | undefined;
}

/** What all plants made, one of them, or one machine, and what it cost. */
export function FleetProduction({ of, period: asked }: FleetProductionProps) {
  const period: Period = OFFERED.find((one) => one === asked) ?? '7d';
  const today = new Date(now.value).toLocaleDateString('sv-SE', { timeZone });
  const { from, to } = daysOf(period, today);
  const about = fleetScope(of);
  // At night and in other time zones the present production day of a gateway is another one than today.
  const scope = `${new URLSearchParams({ from, to, upTo: 'present', ...askedAbout(about) })}`;
  const rows = useReport<SumsView>('sums', `by=${rowsOf(about)}&${scope}`);
  const days = useReport<SumsView>('sums', `by=day&${scope}`);
  const stops = useReport<StopView>('stops', `by=reason&compare=before&${scope}`);
  const { production: texts, gone } = fleetWords.value;
  const isForeign = about.kind === 'plant' && ownPlants.value?.every(({ plantId }) => plantId !== about.plantId);
  if (isForeign || rows === 'missing' || days === 'missing' || stops === 'missing') {
    const answer = isForeign ? gone.plant : gone.gateway;
    return <Frame answer={answer} more={gone.hint} back={backTo({ kind: 'all' }, period)} children={null} />;
  }
  if (rows === null || days === null || stops === null)
    return <Frame answer={words.value.trouble.waits} back={backTo(about, period)} children={null} />;
  return (
    <Frame answer={headline(rows.total, period)} more={texts.asOf} back={backTo(about, period)}>
      <Patterns />
      <AskBar of={of} period={period} scope={scope} />
      {about.kind === 'machine' ? (
        <MachineCourse {...about} scope={scope} days={days} />
      ) : (
        <Rows report={rows} about={about} period={period} />
      )}
      <Trend rows={days.rows} />
      <StopsByReason report={stops} scope={scope} nameOf={machineIn} />
    </Frame>
  );
}

/** `missing`: the gateway is gone, or not this person's. */
function useReport<Row>(kind: 'sums' | 'stops', query: string) {
  const path = `/production/${kind}?${query}`;
  const ask = async (): Promise<Outcome<ReportView<Row> | 'missing'>> => {
    const outcome = await call<ReportView<Row>>('GET', path);
    return isMissing(outcome) ? { kind: 'done', value: 'missing' } : outcome;
  };
  return useResource(path, ask, REFRESHED).value;
}

function placeOf(production: string, period: Period): Route {
  return { place: 'plants', production, period };
}

/** The next larger thing. */
function backTo(about: FleetScope, period: Period): { readonly to: Route; readonly label: string } {
  if (about.kind === 'all') return { to: { place: 'plants' }, label: words.value.places.plants };
  if (about.kind === 'machine') return { to: placeOf(about.gatewayId, period), label: about.gatewayId };
  const gateway =
    about.kind === 'gateway' ? fleet.value.find(({ gatewayId }) => gatewayId === about.gatewayId) : undefined;
  if (gateway === undefined || !seesSeveral())
    return { to: placeOf('', period), label: fleetWords.value.production.ofAll };
  return { to: placeOf(ofPlant(gateway.plantId), period), label: plantName(gateway.plantId) };
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
  const options = [
    ['', ofAll] as const,
    ...(seesSeveral() ? (ownPlants.value ?? []) : []).map(({ plantId, name }) => [ofPlant(plantId), name] as const),
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
      {fleetScope(of).kind !== 'machine' && (
        <Choose label={gateway} value={of} options={options} onChoose={(chosen) => choose(placeOf(chosen, period))} />
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
  readonly about: FleetScope;
  readonly period: Period;
}

/** Plant by plant, gateway by gateway, or the machines of one. */
function Rows({ report, about, period }: RowsProps) {
  const { production: own } = fleetWords.value;
  const by = rowsOf(about);
  if (report.rows.length === 0) return <p class="dim">{words.value.production.nothing}</p>;
  const [title, column, all] = headsOf(by, about, report.rows.length);
  const to = (key: string) => placeOf(by === 'plant' ? ofPlant(key) : key, period);
  return (
    <SumsTable
      report={report}
      title={title}
      column={column}
      all={all}
      nameOf={({ key, name }) => <Link to={to(key ?? '')}>{name ?? rowName(by, key ?? '')}</Link>}
      noteOf={({ key, name, plannedSeconds }) =>
        plannedSeconds === 0 ? own.untold : name === null ? '' : rowName(by, key ?? '')
      }
      stopsOf={({ key }) => (key === null ? null : to(key))}
    />
  );
}

/** Title, name of the first column, and of the row of all. Where the server has one plant, each gateway is called a plant. */
function headsOf(by: ReturnType<typeof rowsOf>, { kind }: FleetScope, count: number) {
  const { production: texts } = words.value;
  const { production: own, several, plant } = fleetWords.value;
  if (by === 'machine') return [texts.byMachine, texts.machine, texts.allMachines(count)] as const;
  if (kind === 'plant') return [several.byGateway, several.gateway, several.gateways(count)] as const;
  return [own.byGateway, by === 'plant' ? plant : own.gateway, own.gateways(count)] as const;
}
