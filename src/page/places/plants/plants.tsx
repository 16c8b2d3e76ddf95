import { useSignal } from '@preact/signals';
import { Frame } from '../../app/frame.tsx';
import { mayRead } from '../../people/who.ts';
import { needsAt } from '../../plant/fleet.ts';
import { seesSeveral } from '../../several-plants/own-plants.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { isAnswered, OldNews, sentencesAt, useFleet } from './fleet-news.tsx';
import { fleetWords } from './fleet-words.ts';
import { GatewayRows } from './gateway/gateway-rows.tsx';
import { Needs } from './needs.tsx';

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
  const { andon, places, trouble } = words.value;
  const all = useFleet();
  if (all.length === 0 && isAnswered.value !== true)
    return (
      <Frame answer={isAnswered.value === null ? trouble.waits : texts.unknown}>
        <OldNews />
      </Frame>
    );
  const found = {
    all,
    look: all.filter((one) => one.troubles.length + needsAt(one).length > 0),
    older: all.filter(({ troubles }) => troubles.some(({ kind }) => kind === 'version')),
  };
  const needing = all.filter((one) => needsAt(one).length > 0);
  const machines = needing.reduce((sum, one) => sum + needsAt(one).length, 0);
  const plants = new Set(needing.map(({ gatewayId, plantId }) => (seesSeveral() ? plantId : gatewayId))).size;
  const sentences = all.flatMap(sentencesAt).slice(0, NAMED);
  return (
    <Frame
      answer={needing.length === 0 ? andon.nobody : machines === 1 ? andon.one : texts.needIn(machines, plants)}
      more={sentences.map((text) => `${text}.`).join(' ')}
    >
      <OldNews />
      <div class="ask">
        <div class="seg" role="group" aria-label={places.plants}>
          {CHOICES.filter((one) => one !== 'older' || found.older.length > 0).map((one) => (
            <button key={one} type="button" aria-pressed={choice.value === one} onClick={() => (choice.value = one)}>
              {texts[one](found[one].length)}
            </button>
          ))}
        </div>
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
          <GatewayRows gateways={found[choice.value]} isAll={choice.value === 'all'} />
        </table>
      </section>
      <Needs gateways={needing} />
    </Frame>
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
