import type { LogPart } from '../../../../domain/production/stop-log.ts';
import { Choose } from '../../../app/choose.tsx';
import { SearchField } from '../../../app/search-field.tsx';
import { reasons } from '../../../plant/plant.ts';
import { words } from '../../../words/words.ts';
import { chooseProduction } from '../choice.ts';

/** Parts of the log that can be chosen; '' is all of it. */
export const PARTS = ['', 'breakdowns', 'faults', 'uncategorized'] as const satisfies readonly (LogPart | '')[];

/** The part of the log, or a reason, and a text that is looked for. */
export function LogFilter({ by, find }: { readonly by: string; readonly find: string }) {
  const texts = words.value.production;
  const names = (reasons.value ?? []).map(({ id, reason }) => [id, reason] as const);
  return (
    <div class="ask">
      <div class="seg" role="group" aria-label={texts.whichLines}>
        {PARTS.map((part) => (
          <button type="button" key={part} aria-pressed={by === part} onClick={() => chooseProduction({ by: part })}>
            {texts.logParts[part]}
          </button>
        ))}
      </div>
      <Choose
        label={texts.reason}
        value={PARTS.some((part) => part === by) ? '' : by}
        options={[['', texts.anyReason], ...names]}
        onChoose={(chosen) => chooseProduction({ by: chosen })}
      />
      <SearchField label={texts.searchLog} value={find} onSearch={(text) => chooseProduction({ find: text })} />
    </div>
  );
}
