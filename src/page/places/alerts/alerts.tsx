import { Frame } from '../../app/frame.tsx';
import { openAlerts, sentenceOf } from '../../plant/alerts.ts';
import { timeOrDate } from '../../show/format.ts';
import { words } from '../../words/words.ts';
import { OpenAlerts } from './open-alerts.tsx';
import { PastAlerts } from './past-alerts.tsx';
import { Rules } from './rules.tsx';
import { Views } from './views.tsx';
import { WhoIsTold } from './who-is-told.tsx';

interface AlertsProps {
  readonly view: 'open' | 'rules' | 'who';
  readonly ruleId: string | null;
}

/** Who must act, who knows; when somebody is told, and by which way. */
export function Alerts({ view, ruleId }: AlertsProps) {
  switch (view) {
    case 'rules':
      return <Rules ruleId={ruleId} />;
    case 'who':
      return <WhoIsTold />;
    case 'open':
      return <Open />;
  }
}

function Open() {
  const { alerts: texts } = words.value;
  const open = openAlerts.value;
  const answer = open === null || open.length === 0 ? texts.none : texts.answer(open.length, withoutPerson().length);
  return (
    <Frame answer={open === null ? texts.open : answer} more={nextTold()}>
      <Views view="open" />
      <OpenAlerts />
      <PastAlerts />
    </Frame>
  );
}

function withoutPerson() {
  return (openAlerts.value ?? []).filter(({ takenBy }) => takenBy === null);
}

/** The worst alert without a person, and who is told of it next. */
function nextTold(): string {
  const [worst] = withoutPerson();
  if (worst === undefined) return '';
  const { next } = worst;
  if (next === null) return `${sentenceOf(worst)}.`;
  return words.value.alerts.nextTold(sentenceOf(worst), next.names.join(', '), timeOrDate(next.at));
}
