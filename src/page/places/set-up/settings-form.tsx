import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isCentral } from '../../api/address.ts';
import { Question } from '../../app/question.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { isSameContent, useUnsaved } from '../../app/unsaved.ts';
import { FieldFault, marksOf, RefusalNote } from '../../form/field-fault.tsx';
import { type FormRefusal, refusalOf, useRefusal } from '../../form/refusal.ts';
import { FaultLine } from '../../show/fault-line.tsx';
import { number } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { words } from '../../words/words.ts';
import { FixedNote } from './fixed-note.tsx';
import { PlantPane } from './plant-pane.tsx';
import { type Draft, fieldsOf, keepDraft, type SERVER_FIELDS, serverChange, settings } from './settings.ts';
import { standingOf, type Tried, useTrial } from './trial.ts';

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
          {!isCentral && (
            <ServerPane
              draft={draft}
              tried={tried}
              isFixed={fixed.includes('upstream')}
              isKeyMissing={server === 'keyMissing'}
              refusal={refusal}
            />
          )}
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
  const { setUp: texts } = words.value;
  const hasServer = (settings.value?.upstream ?? null) !== null;
  return (
    <button type="button" class="btn btn-tall push" disabled={isBusy} onClick={onPress}>
      {hasServer ? texts.sameServer : texts.noServer}
    </button>
  );
}

type AskedOfServer = 'nothing' | 'removal' | 'doubt';

interface ServerQuestionProps {
  readonly asked: Signal<AskedOfServer>;
  readonly onAct: () => void;
}

/**
 * Asks before a server is removed, because the page does not know its key and could not give it back; and before one is
 * kept that does not answer, because a mistake in its address looks the same (D-58).
 */
function ServerQuestion({ asked, onAct }: ServerQuestionProps) {
  const { setUp: texts } = words.value;
  if (asked.value === 'nothing') return null;
  const [title, meaning, act, keep] =
    asked.value === 'removal'
      ? [texts.removeServer, texts.removeServerMeans, texts.removeServerAct, texts.sameServer]
      : [texts.doubt, texts.doubtMeans, texts.doubtAct, texts.doubtKeep];
  const icon = asked.value === 'removal' ? 'trash' : 'warn';
  const close = () => {
    asked.value = 'nothing';
  };
  return <Question title={title} meaning={meaning} act={act} keep={keep} icon={icon} onAct={onAct} onClose={close} />;
}

interface PaneProps {
  readonly draft: Signal<Draft>;
  readonly tried: Tried;
  readonly isFixed: boolean;
  readonly isKeyMissing: boolean;
  readonly refusal: FormRefusal;
}

/** The central server, tried while its address is typed. */
function ServerPane({ draft, tried, isFixed, isKeyMissing, refusal }: PaneProps) {
  const { setUp: texts } = words.value;
  const { url, apiKey } = draft.value;
  const faultIn = (field: (typeof SERVER_FIELDS)[number]) =>
    (tried.kind === 'wrong' ? tried.refusal : refusal.shown)?.ofField.get(field) ?? null;
  const urlFault = faultIn('upstream.url');
  const isRefused = tried.kind === 'tried' && tried.trial.outcome === 'keyRefused';
  const keyFault = isRefused ? texts.keyRefused : faultIn('upstream.apiKey');
  const change = (changed: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changed };
  };
  return (
    <section class="pane stack" aria-label={texts.server}>
      <h2 class="h3">
        {texts.server} <span class="dim normal">{texts.optional}</span>
      </h2>
      {isFixed && <FixedNote section="upstream" />}
      <div class="field">
        <label for="server-url">{texts.address}</label>
        <input
          id="server-url"
          type="text"
          inputMode="url"
          autocomplete="off"
          placeholder="https://central.example/"
          value={url}
          disabled={isFixed}
          {...marksOf(urlFault, 'server-url')}
          onInput={(event) => {
            refusal.forget('upstream.url');
            change({ url: event.currentTarget.value });
          }}
        />
        <FieldFault fault={urlFault} id="server-url" />
        <Answer tried={tried} />
      </div>
      {!isFixed && (
        <div class="field">
          <label for="server-key">{texts.key}</label>
          <input
            id="server-key"
            type="password"
            autocomplete="off"
            value={apiKey}
            {...marksOf(keyFault, 'server-key')}
            onInput={(event) => {
              refusal.forget('upstream.apiKey');
              change({ apiKey: event.currentTarget.value });
            }}
          />
          <FieldFault fault={keyFault} id="server-key" />
          {isKeyMissing && (
            <span class="hint" role="status">
              {texts.keyMissing}
            </span>
          )}
        </div>
      )}
      <p class="dim small">{texts.withoutServer}</p>
    </section>
  );
}

/** Whether it answers, beside the address. */
function Answer({ tried }: { readonly tried: Tried }) {
  const { setUp: texts } = words.value;
  if (tried.kind === 'nothing' || tried.kind === 'wrong') return null;
  if (tried.kind === 'trying') return <span class="hint">{texts.trying}</span>;
  if (tried.kind === 'failed') {
    return (
      <>
        <FaultLine fault={tried.fault} />
        <button type="button" class="btn btn-start" onClick={tried.onRepeat}>
          {words.value.tasks.tryAgain}
        </button>
      </>
    );
  }
  const { outcome, answeredInMs, speaks, detail, code } = tried.trial;
  if (outcome === 'answers' || outcome === 'keyRefused') {
    return (
      <span class="ok" role="status">
        <Icon name="check" />
        {texts.answers(number(answeredInMs), speaks)}
      </span>
    );
  }
  const text = `${texts.faults[outcome]} ${texts.faultOf(code ?? '')}`;
  return <FaultLine fault={{ text, more: detail ?? '' }} />;
}
