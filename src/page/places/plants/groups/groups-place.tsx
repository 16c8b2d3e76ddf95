import { Frame } from '../../../app/frame.tsx';
import { number } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { Link } from '../../../show/link.tsx';
import { words } from '../../../words/words.ts';
import { fleetWords } from '../fleet-words.ts';
import { AddGroup } from './group-acts.tsx';
import { type GroupView, useGroups, without } from './use-groups.ts';

/** Have all gateways the plan of their group? Each group with its gateways. */
export function GroupsPlace() {
  const { groups, reload } = useGroups();
  const { groups: texts } = fleetWords.value;
  const back = { to: { place: 'plants' }, label: words.value.places.plants } as const;
  if (groups === null) return <Frame answer={texts.title} back={back} children={null} />;
  const [answer, more] = answerOf(groups);
  return (
    <Frame answer={answer} more={more} back={back}>
      <AddGroup onAdded={reload} />
      {groups.length > 0 && <Groups groups={groups} />}
    </Frame>
  );
}

/** Groups without a plan are told apart: their gateways have nothing to lack. */
function answerOf(groups: readonly GroupView[]): readonly [answer: string, more: string] {
  const { groups: texts } = fleetWords.value;
  if (groups.length === 0) return [texts.none, texts.noneHint];
  const unplanned = groups.filter(({ rollOut }) => rollOut === null).length;
  if (unplanned === groups.length) return [texts.noneRolledOut, ''];
  const left = groups.reduce((sum, group) => sum + without(group).length, 0);
  return [texts.answer(left), texts.withoutPlan(unplanned)];
}

function Groups({ groups }: { readonly groups: readonly GroupView[] }) {
  const { groups: texts } = fleetWords.value;
  return (
    <section class="pane flush" aria-label={texts.title}>
      <table class="table cards-s">
        <thead>
          <tr>
            <th>{texts.name}</th>
            <th>{texts.rolledOut}</th>
            <th>{texts.gateways}</th>
            <th>{texts.withIt}</th>
            <th>{texts.differing}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Row key={group.groupId} group={group} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ group }: { readonly group: GroupView }) {
  const { groups: texts } = fleetWords.value;
  const { groupId, name, rollOut, gateways } = group;
  const differing = gateways.filter(({ deviationCount }) => deviationCount > 0).length;
  const isLate = without(group).length > 0;
  return (
    <tr>
      <td>
        <Link to={{ place: 'plants', groups: groupId }}>{name}</Link>
      </td>
      <td data-k={texts.rolledOut}>{rollOut === null ? texts.noPlan : texts.version(rollOut)}</td>
      <td data-k={texts.gateways}>{number(gateways.length)}</td>
      <td data-k={texts.withIt} class={isLate ? 'nowrap mark-amber' : ''}>
        {isLate && <Icon name="warn" />} {number(gateways.filter(({ standing }) => standing === 'applied').length)}
      </td>
      <td data-k={texts.differing} class={differing > 0 ? '' : 'dim'}>
        {number(differing)}
      </td>
    </tr>
  );
}
