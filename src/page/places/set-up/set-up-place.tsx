import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { CutBanner } from '../../app/cut-banner.tsx';
import { choose, go } from '../../app/route.ts';
import { isSameContent, useUnsaved } from '../../app/unsaved.ts';
import { mayRead } from '../../people/who.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';
import { PlantPane } from './plant-pane.tsx';
import { ServerPane, useTrial } from './server-pane.tsx';
import { type Draft, keepDraft, settings, useDraft } from './settings.ts';
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
    <SettingsForm draft={draft} submit={words.value.goOn} onDone={() => go({ place: 'admin' })}>
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
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** The settings of the page. A server that does not answer is not kept; the shifts are kept without it. */
export function SettingsForm({ draft, submit, onDone, children }: SettingsFormProps) {
  // The fields show the text as it is typed. The gateway gets it without the blanks at its ends.
  const [url, apiKey] = [draft.value.url.trim(), draft.value.apiKey.trim()];
  const tried = useTrial(url, apiKey).value;
  const isBusy = useSignal(false);
  const kept = useSignal(draft.value);
  useUnsaved(!isSameContent(draft.value, kept.value));
  const fixed = settings.value?.fixed ?? [];
  const isServerTyped = apiKey !== '';
  const isServerGood = tried.kind === 'tried' && tried.trial.outcome === 'answers';
  const keep = async (withServer: boolean) => {
    const sent = draft.value;
    isBusy.value = true;
    const isKept = await keepDraft({ ...sent, url, apiKey }, withServer);
    isBusy.value = false;
    if (!isKept) return;
    kept.value = sent;
    onDone();
  };
  return (
    <>
      <div class="cols cols-2">
        <PlantPane draft={draft} isFixed={fixed.includes('shifts')} />
        <ServerPane draft={draft} tried={tried} isFixed={fixed.includes('upstream')} />
      </div>
      <div class="row">
        {children}
        {isServerTyped && !isServerGood && (
          <button type="button" class="btn btn-tall push" disabled={isBusy.value} onClick={() => void keep(false)}>
            {words.value.setUp.noServer}
          </button>
        )}
        <button
          type="button"
          class={isServerTyped && !isServerGood ? 'btn btn-main' : 'btn btn-main push'}
          disabled={isBusy.value || (isServerTyped && !isServerGood)}
          onClick={() => void keep(true)}
        >
          {submit}
        </button>
      </div>
    </>
  );
}
