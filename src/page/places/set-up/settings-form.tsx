import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isDone } from '../../app/tell-outcome.ts';
import { isSameContent, useUnsaved } from '../../app/unsaved.ts';
import { RefusalNote } from '../../form/field-fault.tsx';
import { refusalOf, useRefusal } from '../../form/refusal.ts';
import { words } from '../../words/words.ts';
import { PlantPane } from './plant-pane.tsx';
import { ServerPane } from './server-pane.tsx';
import { type AskedOfServer, ServerQuestion } from './server-question.tsx';
import { type Draft, fieldsOf, keepDraft, serverChange, settings } from './settings.ts';
import { standingOf, useTrial } from './trial.ts';

interface SettingsFormProps {
  readonly draft: Signal<Draft>;
  readonly submit: string;
  readonly onDone: () => void;
  /** A further pane. */
  readonly more?: ComponentChildren;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function isLoaded(draft: Signal<Draft | null>): draft is Signal<Draft> {
  return draft.value !== null;
}

/**
 * The settings of the page. A server that cannot be reached is kept after a warning; one that refuses its key is not
 * (D-58). The shifts are kept without it.
 */
export function SettingsForm({ draft, submit, onDone, more, children }: SettingsFormProps) {
  // The fields show the text as it is typed. The gateway gets it without the blanks at its ends.
  const typed = { ...draft.value, url: draft.value.url.trim(), apiKey: draft.value.apiKey.trim() };
  const tried = useTrial(typed.url, typed.apiKey).value;
  const isBusy = useSignal(false);
  const asked = useSignal<AskedOfServer>('nothing');
  const kept = useSignal(draft.value);
  const refusal = useRefusal<HTMLDivElement>();
  useUnsaved(!isSameContent(draft.value, kept.value));
  const fixed = settings.value?.fixed ?? [];
  const server = serverChange(typed, settings.value);
  const standing = server === 'set' ? standingOf(tried) : server === 'keyMissing' ? 'open' : 'good';
  const keep = async (withServer: boolean) => {
    const sent = draft.value;
    isBusy.value = true;
    const outcome = await keepDraft(typed, withServer);
    isBusy.value = false;
    const refused = outcome === null ? null : refusalOf(outcome, fieldsOf(sent));
    refusal.tell(refused);
    if (refused === null && outcome !== null && !isDone(outcome)) return;
    asked.value = 'nothing';
    if (refused !== null) return;
    kept.value = withServer ? sent : { ...sent, url: settings.value?.upstream?.url ?? '', apiKey: '' };
    // A server that was not kept is not shown as kept.
    if (!withServer && draft.value === sent) draft.value = kept.value;
    onDone();
  };
  const press = () => {
    if (server === 'remove') asked.value = 'removal';
    else if (standing === 'doubtful') asked.value = 'doubt';
    else void keep(true);
  };
  return (
    <>
      <div class="cols cols-2" ref={refusal.form}>
        <PlantPane draft={draft} isFixed={fixed.includes('shifts')} refusal={refusal} />
        <div class="stack">
          <ServerPane
            draft={draft}
            tried={tried}
            isFixed={fixed.includes('upstream')}
            isKeyMissing={server === 'keyMissing'}
            refusal={refusal}
          />
          {more}
        </div>
      </div>
      <RefusalNote refusal={refusal.shown} />
      <div class="row">
        {children}
        {standing !== 'good' && <WithoutServer isBusy={isBusy.value} onPress={() => void keep(false)} />}
        <button
          type="button"
          class={standing === 'good' ? 'btn btn-main push' : 'btn btn-main'}
          disabled={isBusy.value || standing === 'open'}
          onClick={press}
        >
          {submit}
        </button>
      </div>
      <ServerQuestion asked={asked} onAct={() => void keep(true)} />
    </>
  );
}

/** Keeps the rest; the server stays as it was. */
function WithoutServer({ isBusy, onPress }: { readonly isBusy: boolean; readonly onPress: () => void }) {
  const { setUp: said } = words.value;
  const hasServer = (settings.value?.upstream ?? null) !== null;
  return (
    <button type="button" class="btn btn-tall push" disabled={isBusy} onClick={onPress}>
      {hasServer ? said.sameServer : said.noServer}
    </button>
  );
}
