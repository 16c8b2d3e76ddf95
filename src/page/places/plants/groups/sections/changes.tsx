import type { PlanPartName } from '../../../../../domain/fleet/plan/fleet-plan.ts';
import type { PlanDifference } from '../../../../../domain/fleet/plan/plan-difference.ts';
import { call } from '../../../../api/call.ts';
import { isDone } from '../../../../app/tell-outcome.ts';
import { Icon } from '../../../../show/icon.tsx';
import { words } from '../../../../words/words.ts';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, type MemberView, mayChangeGroups, pathOfGroup } from '../use-groups.ts';

interface ChangesProps {
  readonly changes: readonly PlanDifference[];
  /** All of them; `changes` are the first. */
  readonly count: number;
}

/** Changes of records, the fields by their names. */
export function Changes({ changes, count }: ChangesProps) {
  const { groups: texts } = fleetWords.value;
  return (
    <ul>
      {changes.map(({ kind, id, change, fields }) => (
        <li key={`${kind} ${id}`}>
          <PartName kind={kind} id={id} />, {texts.changes[change]}
          {change === 'update' && (
            <span class="dim"> ({fields.map(kind === 'shifts' ? texts.field : String).join(', ')})</span>
          )}
        </li>
      ))}
      {count > changes.length && <li>{texts.more(count - changes.length)}</li>}
    </ul>
  );
}

/** A record of a plan. The shifts are one thing, without an id. */
export function PartName({ kind, id }: PlanPartName) {
  const name = fleetWords.value.groups.kinds[kind];
  return kind === 'shifts' ? (
    <b>{name}</b>
  ) : (
    <>
      {name}: <b>{id}</b>
    </>
  );
}

interface PreviewsProps {
  readonly group: GroupView;
  readonly version: number;
  readonly onChanged: () => void;
}

/** What a version would change at each gateway, as the gateways say. */
export function Previews({ group, version, onChanged }: PreviewsProps) {
  const { groups: texts } = fleetWords.value;
  const title = texts.previews(version);
  const end = async () => {
    if (isDone(await call('PUT', `${pathOfGroup(group)}/preview`, { version: null }))) onChanged();
  };
  return (
    <section class="pane stack" aria-label={title}>
      <div class="head">
        <h2 class="h3 grow">{title}</h2>
        {mayChangeGroups() && (
          <button type="button" class="btn" onClick={() => void end()}>
            {texts.endPreview}
          </button>
        )}
      </div>
      {group.gateways.map((member) => (
        <Answer key={member.gatewayId} member={member} />
      ))}
    </section>
  );
}

function Answer({ member: { gatewayId, name, preview } }: { readonly member: MemberView }) {
  const { groups: texts } = fleetWords.value;
  return (
    <div>
      <h3 class="h3">{name ?? gatewayId}</h3>
      {preview === null && <p class="dim">{texts.waits}</p>}
      {preview?.faults.map((fault) => (
        <p key={fault} class="mark-amber">
          <Icon name="warn" /> {words.value.trouble.gatewayWords(fault)}
        </p>
      ))}
      {preview !== null && preview.faults.length === 0 && preview.changeCount === 0 && (
        <p class="dim">{texts.nothing}</p>
      )}
      {preview !== null && preview.changeCount > 0 && <Changes changes={preview.changes} count={preview.changeCount} />}
    </div>
  );
}
