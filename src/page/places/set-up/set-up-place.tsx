import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { CutBanner } from '../../app/cut-banner.tsx';
import { Question } from '../../app/question.tsx';
import { choose, go } from '../../app/route.ts';
import { isSameContent, useUnsaved } from '../../app/unsaved.ts';
import { mayRead } from '../../people/who.ts';
import { reasons } from '../../plant/plant.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { StarterReasons } from '../stops/starter-reasons.tsx';
import { PlantPane } from './plant-pane.tsx';
import { ServerPane, useTrial } from './server-pane.tsx';
import { type Draft, keepDraft, serverChange, settings, useDraft } from './settings.ts';
import { Steps } from './steps.tsx';

/** The third step of the first run: time zone, shifts and central server. Each can be left out. */
export function SetUpPlace() {
  const { setUp: said } = words.value;
  return (
    <main class="main set-up" id="main">
      <CutBanner />
      <div class="row">
        <Icon name="brand" kind="xl" />
        <div class="grow">
          <h1 class="h2">{said.title}</h1>
          <p class="dim">{said.hint}</p>
        </div>
      </div>
      <Steps here={1} />
      {mayRead('admin') ? <Choices /> : <NotAllowed />}
    </main>
  );
}

/** This place has no navigation, so it shows the way out. */
function NotAllowed() {
  const { trouble, places } = words.value;
  return (
    <>
      <p class="dim">{trouble.forAdministrators}</p>
      <Link to={{ place: 'andon' }} class="btn btn-start">
        {places.toAndon}
      </Link>
    </>
  );
}

function Choices() {
  const draft = useDraft();
  if (!isLoaded(draft)) return null;
  return (
    <SettingsForm
      draft={draft}
      submit={words.value.goOn}
      onDone={() => go({ place: 'admin' })}
      more={reasons.value?.length === 0 && <StarterReasons />}
    >
      <button type="button" class="btn btn-tall" onClick={() => choose({ place: 'admin' })}>
        {words.value.setUp.leaveOut}
      </button>
    </SettingsForm>
  );
}

export function isLoaded(draft: Signal<Draft | null>): draft is Signal<Draft> {
  return draft.value !== null;
}

interface SettingsFormProps {
  readonly draft: Signal<Draft>;
  readonly submit: string;
  readonly onDone: () => void;
  /** A further pane. */
  readonly more?: ComponentChildren;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** The settings of the page. A server that does not answer is not kept; the shifts are kept without it. */
export function SettingsForm({ draft, submit, onDone, more, children }: SettingsFormProps) {
  // The fields show the text as it is typed. The gateway gets it without the blanks at its ends.
  const typed = { ...draft.value, url: draft.value.url.trim(), apiKey: draft.value.apiKey.trim() };
  const tried = useTrial(typed.url, typed.apiKey).value;
  const isBusy = useSignal(false);
  const isRemovalAsked = useSignal(false);
  const kept = useSignal(draft.value);
  useUnsaved(!isSameContent(draft.value, kept.value));
  const fixed = settings.value?.fixed ?? [];
  const server = serverChange(typed, settings.value);
  const isServerGood = tried.kind === 'tried' && tried.trial.outcome === 'answers';
  const isServerOpen = server === 'keyMissing' || (server === 'set' && !isServerGood);
  const keep = async (withServer: boolean) => {
    const sent = draft.value;
    isBusy.value = true;
    const isKept = await keepDraft(typed, withServer);
    isBusy.value = false;
    if (!isKept) return;
    isRemovalAsked.value = false;
    kept.value = withServer ? sent : { ...sent, url: settings.value?.upstream?.url ?? '', apiKey: '' };
    // A server that was not kept is not shown as kept.
    if (!withServer && draft.value === sent) draft.value = kept.value;
    onDone();
  };
  const press = () => {
    if (server === 'remove') isRemovalAsked.value = true;
    else void keep(true);
  };
  return (
    <>
      <div class="cols cols-2">
        <PlantPane draft={draft} isFixed={fixed.includes('shifts')} />
        <div class="stack">
          <ServerPane
            draft={draft}
            tried={tried}
            isFixed={fixed.includes('upstream')}
            isKeyMissing={server === 'keyMissing'}
          />
          {more}
        </div>
      </div>
      <div class="row">
        {children}
        {isServerOpen && <WithoutServer isBusy={isBusy.value} onPress={() => void keep(false)} />}
        <button
          type="button"
          class={isServerOpen ? 'btn btn-main' : 'btn btn-main push'}
          disabled={isBusy.value || isServerOpen}
          onClick={press}
        >
          {submit}
        </button>
      </div>
      {isRemovalAsked.value && (
        <RemovalQuestion onAct={() => void keep(true)} onClose={() => (isRemovalAsked.value = false)} />
      )}
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

/** The page does not know the key, so it could not give the server back: it asks first. */
function RemovalQuestion({ onAct, onClose }: { readonly onAct: () => void; readonly onClose: () => void }) {
  const { setUp: said } = words.value;
  return (
    <Question
      title={said.removeServer}
      meaning={said.removeServerMeans}
      act={said.removeServerAct}
      keep={said.sameServer}
      onAct={onAct}
      onClose={onClose}
    />
  );
}
