import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { line } from '../api/live.ts';
import { signOut, who } from '../people/who.ts';
import { machines, needing, stopsWaiting } from '../plant/machines.ts';
import { now } from '../show/clock.ts';
import { timeOfDay } from '../show/format.ts';
import { Icon } from '../show/icon.tsx';
import { Link } from '../show/link.tsx';
import { chooseLanguage, language, words } from '../words/words.ts';
import { type Route, route } from './route.ts';
import { changeTheme } from './theme.ts';

interface FrameProps {
  /** The answer to the question of the place, in one sentence. */
  readonly answer: string;
  readonly more?: string;
  /** Where one came from. */
  readonly back?: { readonly to: Route; readonly label: string };
  readonly children: ComponentChildren;
}

/** What every place has: the places, the answer, the time, and a banner while the line is cut. */
export function Frame({ answer, more = '', back, children }: FrameProps) {
  useEffect(() => {
    document.title = `${answer} · plantgate`;
  }, [answer]);
  return (
    <div class="app">
      <a class="skip" href="#main">
        {words.value.places.skip}
      </a>
      <Rail />
      <div class="stage">
        <CutBanner />
        <header class="top">
          <div class="answer">
            {back !== undefined && (
              <Link to={back.to} class="crumb">
                <Icon name="left" />
                {back.label}
              </Link>
            )}
            <h1>{answer}</h1>
            <p>{more}</p>
          </div>
          <Now />
          <button
            type="button"
            class="btn wide-only"
            onClick={() => chooseLanguage(language.value === 'en' ? 'de' : 'en')}
          >
            <Icon name="globe" />
            {words.value.places.language}
          </button>
          <button
            type="button"
            class="btn btn-icon wide-only"
            aria-label={words.value.places.theme}
            onClick={changeTheme}
          >
            <Icon name="theme" />
          </button>
        </header>
        <main class="main" id="main">
          {children}
        </main>
      </div>
      <nav class="dock" aria-label={words.value.places.places}>
        <Places />
        <Me />
      </nav>
    </div>
  );
}

function Rail() {
  return (
    <nav class="rail" aria-label={words.value.places.places}>
      <Link to={{ place: 'andon' }} class="brand" label="plantgate">
        <Icon name="brand" />
      </Link>
      <Places />
      <span class="gap" />
      <Me />
    </nav>
  );
}

function Places() {
  const { andon, stops } = words.value.places;
  const { place } = route.value;
  return (
    <>
      <Link to={{ place: 'andon' }} class="place" current={place === 'andon'}>
        <Icon name="andon" />
        <span>{andon}</span>
        <Count of={needing.value} />
      </Link>
      <Link to={{ place: 'stops' }} class="place" current={place === 'stops'}>
        <Icon name="downtime" />
        <span>{stops}</span>
        <Count of={stopsWaiting.value} />
      </Link>
    </>
  );
}

function Count({ of }: { readonly of: number }) {
  if (of === 0) return null;
  return (
    <span class="n">
      <span aria-hidden="true">{of}</span>
      <span class="sr">
        {' '}
        {of} {words.value.places.waiting}
      </span>
    </span>
  );
}

function Me() {
  const person = who.value;
  if (typeof person === 'string') return null;
  const { as, out } = words.value.signIn;
  return (
    <button type="button" class="place me" aria-label={`${as(person.name)}. ${out}`} onClick={() => void signOut()}>
      <Icon name="badge" />
      <span class="clip">{person.name}</span>
    </button>
  );
}

function Now() {
  const shift = machines.value?.values().next().value?.shift;
  return (
    <div class="now">
      <span class="shift">{shift?.shiftName}</span>
      <b>{timeOfDay(now.value)}</b>
    </div>
  );
}

function CutBanner() {
  if (line.value.kind === 'live') return null;
  const { cut, cutHint } = words.value.trouble;
  return (
    <div class="banner banner-cut" role="alert">
      <div class="txt">
        <Icon name="silent" />
        <div>
          <b>{cut(timeOfDay(line.value.sinceMs))}</b>
          {cutHint}
        </div>
      </div>
    </div>
  );
}
