import { useSignal } from '@preact/signals';
import { Frame } from '../../app/frame.tsx';
import { mayRead } from '../../people/who.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { DatabaseRisks, isAnswered, isOlder, OldNews, sentencesAt, useFleet } from './fleet-news.tsx';
import { fleetWords } from './fleet-words.ts';
import { useGatewayFilter } from './gateway/gateway-filter.tsx';
import { GatewayRows } from './gateway/gateway-rows.tsx';
import { Needs, needsAnswer, needsLook } from './needs.tsx';

/** Columns of numbers. */
const AMOUNTS: ReadonlySet<string> = new Set(['waiting', 'clock', 'disk']);
/** Troubles that the headline names. */
const NAMED = 2;
const CHOICES = ['all', 'look', 'older'] as const;
type Choice = (typeof CHOICES)[number];

/** The place Plants: which gateway needs help, the worst first. */
export function Plants() {
  const choice = useSignal<Choice>('all');
  const texts = fleetWords.value;
  const { places, trouble } = words.value;
  const all = useFleet();
  const { passes, fields } = useGatewayFilter(all.length);
  if (all.length === 0 && isAnswered.value !== true)
    return (
      <Frame answer={isAnswered.value === null ? trouble.waits : texts.unknown}>
        <OldNews />
      </Frame>
    );
  const passing = all.filter(passes);
  const found = {
    all: passing,
    look: passing.filter(needsLook),
    older: passing.filter(isOlder),
  };
  const hasOlder = all.some(isOlder);
  const chosen = choice.value === 'older' && !hasOlder ? 'all' : choice.value;
  const shown = found[chosen];
  const sentences = all.flatMap(sentencesAt).slice(0, NAMED);
  return (
    <Frame answer={needsAnswer(all)} more={sentences.map((text) => `${text}.`).join(' ')}>
      <OldNews />
      <DatabaseRisks />
      <div class="ask">
        <div class="seg" role="group" aria-label={places.plants}>
          {CHOICES.filter((one) => one !== 'older' || hasOlder).map((one) => (
            <button key={one} type="button" aria-pressed={chosen === one} onClick={() => (choice.value = one)}>
              {texts[one](found[one].length)}
            </button>
          ))}
        </div>
        {fields}
        <Ways />
      </div>
      <section class="pane flush" aria-label={places.plants}>
        <table class="table cards-s">
          <thead>
            <tr>
              {Object.entries(texts.columns).map(([name, column]) => (
                <th key={name} class={AMOUNTS.has(name) ? 'right' : ''}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <GatewayRows gateways={shown} isAll={chosen === 'all' && passing.length === all.length} />
          {shown.length === 0 && all.length > 0 && <NoneFound />}
        </table>
      </section>
      <Needs gateways={passing} />
    </Frame>
  );
}

function NoneFound() {
  const { columns, noneFound } = fleetWords.value;
  return (
    <tbody>
      <tr>
        <td colSpan={Object.keys(columns).length} class="dim">
          {noneFound}
        </td>
      </tr>
    </tbody>
  );
}

/** To what all of them made, and to the groups. */
function Ways() {
  const { production, groups } = fleetWords.value;
  return (
    <div class="row push">
      <Link to={{ place: 'plants', production: '' }} class="btn">
        {production.title}
        <Icon name="right" />
      </Link>
      {mayRead('supervisor') && (
        <Link to={{ place: 'plants', groups: '' }} class="btn">
          {groups.title}
          <Icon name="right" />
        </Link>
      )}
    </div>
  );
}
