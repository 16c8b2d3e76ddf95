import { type DowntimeReason, REASON_ICONS } from '../../../domain/plant/plant.ts';
import { isPlannedReason } from '../../../domain/production/planned-reasons.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { showDone } from '../../app/toast.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { iconOf } from '../stops/reason-buttons.tsx';
import { StarterReasons } from '../stops/starter-reasons.tsx';
import { Act, RecordsTab } from './records-tab.tsx';

/** The reasons for which machines stop here. One that is not offered any more stays, because past stops have it. */
export function Reasons() {
  const { admin: texts, plantData } = words.value;
  return (
    <RecordsTab<DowntimeReason>
      kind="downtimeReasons"
      label={texts.tabs.reasons}
      add={texts.addReason}
      idField="id"
      nameOf={({ reason }) => reason}
      none={<StarterReasons />}
      columns={[
        [texts.reason, (reason) => <Named reason={reason} />],
        [texts.group, ({ group }) => group],
        [plantData.counts, (reason) => plantData.countsAs[isPlannedReason(reason) ? 'planned' : 'unplanned']],
        [texts.reasonId, ({ id }) => <span class="dim">{id}</span>],
      ]}
      fieldsOf={(reason) => [
        { name: 'reason', label: texts.reason, value: reason?.reason ?? '' },
        { name: 'group', label: texts.group, value: reason?.group ?? '' },
        {
          name: 'planned',
          label: plantData.counts,
          value: reason?.planned === undefined ? '' : String(reason.planned),
          read: (text) => text === 'true',
          choices: [
            { value: '', label: plantData.countsAs.group },
            { value: 'true', label: plantData.countsAs.planned },
            { value: 'false', label: plantData.countsAs.unplanned },
          ],
        },
      ]}
      kept={({ archived }) => (archived === undefined ? {} : { archived })}
      more={(reason) => <IconChoice chosen={reason?.icon ?? ''} />}
      act={(reason) =>
        reason.archived === true ? (
          <Act label={plantData.useAgain} of={reason.reason} onPress={() => void setArchived(reason, false)} />
        ) : (
          <Act label={plantData.archive} of={reason.reason} onPress={() => void archive(reason)} />
        )
      }
    />
  );
}

function Named({ reason }: { readonly reason: DowntimeReason }) {
  return (
    <>
      <Icon name={iconOf(reason)} /> <b>{reason.reason}</b>{' '}
      {reason.archived === true && <span class="dim">{words.value.plantData.isArchived}</span>}
    </>
  );
}

async function setArchived({ archived: _, ...reason }: DowntimeReason, archived: boolean): Promise<boolean> {
  const path = `/plant/downtimeReasons/${encodeURIComponent(reason.id)}`;
  return isDone(await call('PUT', path, archived ? { ...reason, archived } : reason));
}

async function archive(reason: DowntimeReason): Promise<void> {
  if (!(await setArchived(reason, true))) return;
  const { wasArchived, archivedHint } = words.value.plantData;
  showDone(wasArchived(reason.reason), archivedHint, () => setArchived(reason, false));
}

/** The icons that a reason can have, as pictures; without one the page chooses by the words of the reason. */
function IconChoice({ chosen }: { readonly chosen: string }) {
  const { icon, iconByWords } = words.value.admin;
  const { icons } = words.value.plantData;
  return (
    <fieldset class="field icon-choice">
      <legend class="lab">{icon}</legend>
      <label class="icon-auto">
        <input class="sr" type="radio" name="icon" value="" defaultChecked={chosen === ''} />
        {iconByWords}
      </label>
      {REASON_ICONS.map((name) => (
        <label key={name} title={icons[name]}>
          <input class="sr" type="radio" name="icon" value={name} defaultChecked={chosen === name} />
          <Icon name={name} />
          <span class="sr">{icons[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
