import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { line } from '../api/live.ts';
import { onlyShows, panelOf, who } from '../people/who.ts';
import { openAlerts } from '../plant/alerts.ts';
import { damagedDatabase } from '../plant/damaged-database.ts';
import { shiftName } from '../plant/machines.ts';
import { shownPlant } from '../several-plants/own-plants.ts';
import { severalPlants } from '../several-plants/several-plants.ts';
import { gatewayTimeOf, now } from '../show/clock.ts';
import { timeOfDay, timeOrDate } from '../show/format.ts';
import { Icon } from '../show/icon.tsx';
import { Link } from '../show/link.tsx';
import { words } from '../words/words.ts';
import { CutBanner } from './cut-banner.tsx';
import { LanguageButton } from './language-button.tsx';
import { ActingPerson, Dock, Rail } from './navigation.tsx';
import { type Route, route } from './route.ts';
import { changeTheme } from './theme.ts';

interface FrameProps {
  /** The heading of the place, mostly its state in one sentence. */
  readonly answer: string;
  readonly more?: string;
  /** The link to the place above this one. */
  readonly back?: { readonly to: Route; readonly label: string };
  readonly children: ComponentChildren;
}

/** The frame of every place: navigation, heading, time, and banners for a cut line and a damaged database. */
export function Frame({ answer, more = '', back, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const parts = severalPlants.value;
  const plant = shownPlant.value?.name;
  useEffect(() => focusHeading(heading.current), [route.value]);
  useEffect(() => {
    document.title = [answer, ...(plant === undefined ? [] : [plant]), 'plantgate'].join(' · ');
  }, [answer, plant]);
  return (
    <div class={line.value.kind === 'live' ? 'app' : 'app old-data'}>
      <a class="skip" href="#main">
        {words.value.places.skip}
      </a>
      <Rail />
      <div class="stage">
        <CutBanner />
        <Acting />
        <DamageBanner />
        <header class="top">
          <div class="answer">
            {parts !== null && plant !== undefined && <parts.PlantChoice />}
            {back !== undefined && (
              <Link to={back.to} class="crumb">
                <Icon name="left" />
                {back.label}
              </Link>
            )}
            <h1 ref={heading} tabIndex={-1}>
              {answer}
            </h1>
            <p>
              <AsOf />
              {more}
            </p>
          </div>
          <Now />
          <Bell />
          <LanguageButton class="wide-only" />
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
      <Dock />
    </div>
  );
}

/** The place that the page was opened with: the browser itself reads it from its beginning. */
const opened = route.value;

/** After a change of place the focus is at its heading, so that a keyboard and a reader go on there. */
function focusHeading(heading: HTMLElement | null): void {
  const { activeElement } = document;
  const isFree = activeElement === null || activeElement === document.body;
  if (route.value !== opened && isFree) heading?.focus({ preventScroll: true });
}

/** Narrow screens have no rail, which names the person elsewhere. */
function Acting() {
  const person = who.value;
  if (typeof person === 'string' || panelOf(person) === null || onlyShows(person)) return null;
  return (
    <section class="narrow-only" aria-label={words.value.signIn.as(person.name)}>
      <ActingPerson name={person.name} />
    </section>
  );
}

/** The time of what is shown, while no changes arrive. */
function AsOf() {
  if (line.value.kind === 'live') return null;
  return (
    <>
      <b>{words.value.trouble.asOf(timeOfDay(gatewayTimeOf(line.value.sinceMs)))}</b>{' '}
    </>
  );
}

function Now() {
  return (
    <div class="now">
      <span class="shift">{shiftName}</span>
      <b>{timeOfDay(now.value)}</b>
    </div>
  );
}

/** Says at every place but Sync, which shows all of it, that a database was damaged. */
function DamageBanner() {
  const damaged = damagedDatabase.value;
  if (damaged === null || route.value.place === 'sync') return null;
  const { damage: texts } = words.value;
  return (
    <div class="banner banner-warn" role="alert">
      <Icon name="warn" />
      <div>
        <b>{texts.title(damaged.at === null ? null : timeOrDate(damaged.at))}</b>
        {damaged.losses.length === 0 ? texts.allSaved : texts.lost(damaged.losses.length)}
      </div>
      <Link to={{ place: 'sync' }} class="btn">
        {texts.open}
      </Link>
    </div>
  );
}

/** The way to the alerts, with the number of open ones, in the head of every place. */
function Bell() {
  const open = openAlerts.value?.length ?? 0;
  const isHere = route.value.place === 'alerts';
  return (
    <Link to={{ place: 'alerts' }} class="btn btn-icon bell" label={words.value.alerts.bell(open)} current={isHere}>
      <Icon name="bell" />
      {open > 0 && (
        <span class="n" aria-hidden="true">
          {open}
        </span>
      )}
    </Link>
  );
}
