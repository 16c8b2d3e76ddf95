import { useSignal } from '@preact/signals';
import { call } from '../../../../api/call.ts';
import { Question } from '../../../../app/question.tsx';
import { isDone } from '../../../../app/tell-outcome.ts';
import { gatewayName } from '../../../../plant/fleet.ts';
import { plantName, seesSeveral } from '../../../../several-plants/own-plants.ts';
import { timeOrDate } from '../../../../show/format.ts';
import { Icon } from '../../../../show/icon.tsx';
import { Link } from '../../../../show/link.tsx';
import { words } from '../../../../words/words.ts';
import { Act } from '../../../admin/records-tab.tsx';
import { useFleet } from '../../fleet-news.tsx';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, type MemberView, mayChangeGroups, pathOfGroup } from '../use-groups.ts';
import { PartName } from './changes.tsx';

interface MembersProps {
  readonly group: GroupView;
  /** Gateways that are in a group. */
  readonly grouped: ReadonlySet<string>;
  readonly onChanged: () => void;
}

/** The gateways of a group, and where each stands with the version that is rolled out. */
export function Members({ group, grouped, onChanged }: MembersProps) {
  const leaving = useSignal<MemberView | null>(null);
  const { groups: texts } = fleetWords.value;
  const leave = async ({ gatewayId }: MemberView) => {
    leaving.value = null;
    if (isDone(await call('DELETE', memberPath(group, gatewayId)))) onChanged();
  };
  return (
    <section class="pane flush" aria-label={texts.gateways}>
      {group.gateways.length > 0 && (
        <table class="table cards-s">
          <thead>
            <tr>
              <th>{texts.gateways}</th>
              <th>{texts.rolledOut}</th>
              <th>{texts.since}</th>
              <th>{texts.differing}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {group.gateways.map((member) => (
              <Row key={member.gatewayId} member={member} onLeave={() => (leaving.value = member)} />
            ))}
          </tbody>
        </table>
      )}
      {mayChangeGroups() && <Join group={group} grouped={grouped} onChanged={onChanged} />}
      {leaving.value !== null && (
        <Question
          title={`${texts.takeOut}: ${leaving.value.name ?? leaving.value.gatewayId}`}
          meaning={texts.takeOutMeans}
          act={texts.takeOut}
          keep={texts.leaveIn}
          onAct={() => leaving.value !== null && void leave(leaving.value)}
          onClose={() => (leaving.value = null)}
        />
      )}
    </section>
  );
}

function Row({ member, onLeave }: { readonly member: MemberView; readonly onLeave: () => void }) {
  const { groups: texts } = fleetWords.value;
  const { gatewayId, plantId, name, standing, version, appliedAt, refused, contact } = member;
  const isAway = contact?.state === 'silent';
  const isBad = standing === 'refused' || (standing === 'waiting' && isAway);
  const shown = name ?? gatewayId;
  return (
    <tr>
      <td>
        <Link to={{ place: 'plants', gatewayId }}>{shown}</Link>
        {name !== null && <p class="dim small">{gatewayId}</p>}
        {plantId !== null && seesSeveral() && <p class="dim small">{plantName(plantId)}</p>}
      </td>
      <td data-k={texts.rolledOut} class={isBad ? 'mark-amber' : ''}>
        {isBad && <Icon name="warn" />} {texts.standings[standing]}
        {standing !== 'applied' && version !== null && `, ${texts.version(version)}`}
        {isAway && `, ${texts.away}`}
        {refused?.faults.map((fault) => (
          <p key={fault} class="small">
            {words.value.trouble.gatewayWords(fault)}
          </p>
        ))}
      </td>
      <td data-k={texts.since} class="nowrap">
        {appliedAt === null ? '–' : timeOrDate(appliedAt)}
      </td>
      <td data-k={texts.differing}>
        <Deviations member={member} />
      </td>
      <td class="right nowrap">{mayChangeGroups() && <Act label={texts.takeOut} of={shown} onPress={onLeave} />}</td>
    </tr>
  );
}

function Deviations({ member: { deviationCount, deviations } }: { readonly member: MemberView }) {
  const { groups: texts } = fleetWords.value;
  if (deviationCount === 0) return <span class="dim">0</span>;
  return (
    <details>
      <summary>{texts.differ(deviationCount)}</summary>
      <ul>
        {deviations.map(({ kind, id, why }) => (
          <li key={`${kind} ${id}`}>
            <PartName kind={kind} id={id} />, {texts.why[why]}
          </li>
        ))}
        {deviationCount > deviations.length && <li>{texts.more(deviationCount - deviations.length)}</li>}
      </ul>
    </details>
  );
}

/** Puts a gateway that is in no group into this one. */
function Join({ group, grouped, onChanged }: MembersProps) {
  const chosen = useSignal('');
  const { groups: texts } = fleetWords.value;
  const free = useFleet().filter(({ gatewayId }) => !grouped.has(gatewayId));
  if (free.length === 0) return null;
  const join = async (event: SubmitEvent) => {
    event.preventDefault();
    const gatewayId = chosen.value || free[0]?.gatewayId;
    if (gatewayId === undefined || !isDone(await call('PUT', memberPath(group, gatewayId)))) return;
    chosen.value = '';
    onChanged();
  };
  return (
    <form class="row pad" onSubmit={(event) => void join(event)}>
      <div class="field">
        <label for="join">{texts.addGateway}</label>
        <select
          id="join"
          value={chosen.value || free[0]?.gatewayId}
          onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
        >
          {free.map((gateway) => (
            <option key={gateway.gatewayId} value={gateway.gatewayId}>
              {seesSeveral() ? `${gatewayName(gateway)}, ${plantName(gateway.plantId)}` : gatewayName(gateway)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="btn">
        {texts.take}
      </button>
    </form>
  );
}

function memberPath(group: GroupView, gatewayId: string): string {
  return `${pathOfGroup(group)}/gateways/${encodeURIComponent(gatewayId)}`;
}
