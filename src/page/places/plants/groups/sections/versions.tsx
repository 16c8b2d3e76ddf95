import { useSignal } from '@preact/signals';
import type { PlanDifference } from '../../../../../domain/fleet/plan/plan-difference.ts';
import type { VersionView } from '../../../../../flows/fleet-plan/group-view.ts';
import { call } from '../../../../api/call.ts';
import { Question } from '../../../../app/question.tsx';
import { Sheet } from '../../../../app/sheet.tsx';
import { isDone } from '../../../../app/tell-outcome.ts';
import { showDone } from '../../../../app/toast.ts';
import { useResource } from '../../../../app/use-resource.ts';
import { number, timeOrDate } from '../../../../show/format.ts';
import { Icon } from '../../../../show/icon.tsx';
import { Act } from '../../../admin/records-tab.tsx';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, mayChangeGroups, pathOfGroup } from '../use-groups.ts';
import { Changes } from './changes.tsx';
import { NewVersion } from './new-version.tsx';

interface VersionsProps {
  readonly group: GroupView;
  readonly onChanged: () => void;
}

/** The versions of a group's plan, the newest first; each can be compared, previewed and rolled out. */
export function Versions({ group, onChanged }: VersionsProps) {
  const open = useSignal<{ readonly kind: 'new' | 'compare' | 'rollOut'; readonly version: number } | null>(null);
  const { groups: texts } = fleetWords.value;
  const path = pathOfGroup(group);
  const newest = group.newest?.version ?? 0;
  const versions = useResource<readonly VersionView[]>(`${path} ${newest}`, () => call('GET', `${path}/versions`));
  const close = () => {
    open.value = null;
  };
  const choose = async (what: 'preview' | 'rollOut', version: number) => {
    close();
    if (isDone(await call('PUT', `${path}/${what}`, { version }))) onChanged();
  };
  const act = (kind: VersionAct, version: number) => {
    if (kind === 'preview') void choose(kind, version);
    else open.value = { kind, version };
  };
  return (
    <section class="pane flush" aria-label={texts.versions}>
      <div class="head">
        <h2 class="h3 grow">{texts.versions}</h2>
        {mayChangeGroups() && (
          <button type="button" class="btn" onClick={() => (open.value = { kind: 'new', version: newest })}>
            <Icon name="plus" />
            {texts.newVersion}
          </button>
        )}
      </div>
      {versions.value?.length === 0 && <p class="row pad dim">{texts.noVersions}</p>}
      {versions.value !== null && versions.value.length > 0 && (
        <VersionTable versions={versions.value} rollOut={group.rollOut} onAct={act} />
      )}
      {open.value?.kind === 'new' && (
        <NewVersion
          group={group}
          onClose={close}
          onDone={(isNew) => {
            close();
            if (!isNew) showDone(texts.equalToNewest);
            onChanged();
          }}
        />
      )}
      {open.value?.kind === 'compare' && <Comparison group={group} to={open.value.version} onClose={close} />}
      {open.value?.kind === 'rollOut' && (
        <Question
          title={texts.rollOutQuestion(open.value.version, group.gateways.length)}
          meaning={texts.rollOutMeans}
          act={texts.rollOut}
          icon="send"
          keep={texts.notNow}
          onAct={() => open.value !== null && void choose('rollOut', open.value.version)}
          onClose={close}
        />
      )}
    </section>
  );
}

type VersionAct = 'compare' | 'preview' | 'rollOut';

interface VersionTableProps {
  readonly versions: readonly VersionView[];
  readonly rollOut: number | null;
  readonly onAct: (act: VersionAct, version: number) => void;
}

function VersionTable({ versions, rollOut, onAct }: VersionTableProps) {
  const { groups: texts } = fleetWords.value;
  return (
    <table class="table cards-s">
      <thead>
        <tr>
          <th>{texts.rolledOut}</th>
          <th>{texts.since}</th>
          <th>{texts.by}</th>
          <th>{texts.records}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <Row
            key={version.version}
            version={version}
            isRolledOut={version.version === rollOut}
            onAct={(act) => onAct(act, version.version)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly version: VersionView;
  readonly isRolledOut: boolean;
  readonly onAct: (act: VersionAct) => void;
}

function Row({ version, isRolledOut, onAct }: RowProps) {
  const { groups: texts } = fleetWords.value;
  const name = texts.version(version.version);
  const acts: readonly VersionAct[] =
    mayChangeGroups() && !isRolledOut ? ['compare', 'preview', 'rollOut'] : ['compare'];
  return (
    <tr>
      <td data-k={texts.rolledOut}>
        <b>{name}</b>
        {isRolledOut && `, ${texts.isRolledOut}`}
        {version.overwrite && `, ${texts.overwrites}`}
        {version.note !== '' && <p class="dim small">{version.note}</p>}
      </td>
      <td data-k={texts.since} class="nowrap">
        {timeOrDate(version.at)}
      </td>
      <td data-k={texts.by}>{version.who}</td>
      <td data-k={texts.records}>{number(version.records)}</td>
      <td>
        <div class="row">
          <span class="push wide-only" />
          {acts.map((act) => (
            <Act key={act} label={texts[act]} of={name} onPress={() => onAct(act)} />
          ))}
        </div>
      </td>
    </tr>
  );
}

interface ComparisonProps {
  readonly group: GroupView;
  readonly to: number;
  readonly onClose: () => void;
}

/** The differences from the version that is rolled out; of that one itself, and of the first, everything. */
function Comparison({ group, to, onClose }: ComparisonProps) {
  const { groups: texts } = fleetWords.value;
  const from = group.rollOut === null || group.rollOut === to ? 0 : group.rollOut;
  const path = `${pathOfGroup(group)}/difference?from=${from}&to=${to}`;
  const changes = useResource<readonly PlanDifference[]>(path, () => call('GET', path));
  return (
    <Sheet title={texts.differences(from, to)} onClose={onClose}>
      {changes.value?.length === 0 && <p>{texts.equal}</p>}
      {changes.value !== null && <Changes changes={changes.value} count={changes.value.length} />}
    </Sheet>
  );
}
