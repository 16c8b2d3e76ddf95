import { Frame } from '../../../app/frame.tsx';
import { fleetWords } from '../fleet-words.ts';
import { GroupActs } from './group-acts.tsx';
import { Previews } from './sections/changes.tsx';
import { Members } from './sections/members.tsx';
import { Versions } from './sections/versions.tsx';
import { Updates } from './update/updates.tsx';
import { type GroupView, useGroups } from './use-groups.ts';

/** One group: where each of its gateways stands, and the versions of its plan. */
export function GroupPlace({ groupId }: { readonly groupId: string }) {
  const { groups, reload } = useGroups();
  const { groups: texts, gone } = fleetWords.value;
  const back = { to: { place: 'plants', groups: '' }, label: texts.title } as const;
  if (groups === null) return <Frame answer={texts.title} back={back} children={null} />;
  const group = groups.find((one) => one.groupId === groupId);
  if (group === undefined) return <Frame answer={gone.group} more={gone.hint} back={back} children={null} />;
  const grouped = new Set(groups.flatMap(({ gateways }) => gateways.map(({ gatewayId }) => gatewayId)));
  return (
    <Frame answer={group.name} more={standOf(group)} back={back}>
      <Members group={group} grouped={grouped} onChanged={reload} />
      {group.preview !== null && <Previews group={group} version={group.preview} onChanged={reload} />}
      <Versions group={group} onChanged={reload} />
      <Updates group={group} />
      <GroupActs group={group} onChanged={reload} />
    </Frame>
  );
}

function standOf({ rollOut, gateways }: GroupView): string {
  const { groups: texts } = fleetWords.value;
  if (rollOut === null) return texts.nothingRolledOut;
  const have = gateways.filter(({ standing }) => standing === 'applied').length;
  return texts.stands(have, gateways.length, rollOut);
}
