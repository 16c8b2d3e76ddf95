import type { SessionView } from '../../../flows/people/people-ports.ts';
import { call } from '../../api/call.ts';
import { Frame } from '../../app/frame.tsx';
import { LanguageButton } from '../../app/language-button.tsx';
import { Me, places } from '../../app/navigation.tsx';
import { isDone } from '../../app/tell-outcome.ts';
import { changeTheme } from '../../app/theme.ts';
import { useResource } from '../../app/use-resource.ts';
import { nameOf, onlyShows, panelOf, signOut, who } from '../../people/who.ts';
import { timeOrDate } from '../../show/format.ts';
import { Icon } from '../../show/icon.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** The places that have no room at the bottom of a narrow screen. */
export function More() {
  const { places: texts } = words.value;
  return (
    <Frame answer={texts.more}>
      <div class="found">
        {places()
          .filter(({ isDaily }) => !isDaily)
          .map(({ place, icon }) => (
            <Link key={place} to={{ place }} class="opt lead">
              <Icon name={icon} />
              <span class="name">{texts[place]}</span>
              <Icon name="right" />
            </Link>
          ))}
      </div>
      <div class="row">
        <LanguageButton />
        <button type="button" class="btn" onClick={changeTheme}>
          <Icon name="theme" />
          {texts.theme}
        </button>
        <SignOut />
        <a class="btn" href="/docs">
          {words.value.machine.connect}
        </a>
      </div>
      <OwnSessions key={nameOf(who.value)} />
    </Frame>
  );
}

/** Signs in or out. On a wide screen this is in the navigation; a narrow screen has it here. */
function SignOut() {
  const person = who.value;
  if (typeof person === 'string' || onlyShows(person) || panelOf(person) !== null) return <Me />;
  return (
    <button type="button" class="btn" onClick={() => void signOut().then(isDone)}>
      <Icon name="badge" />
      {words.value.signIn.outOf(person.name)}
    </button>
  );
}

type Session = SessionView & { readonly isThis: boolean };

/** Where one is signed in, and the way out everywhere. */
function OwnSessions() {
  const sessions = useResource('', () => call<readonly Session[]>('GET', '/session/all'));
  const { sessions: texts } = words.value;
  if (sessions.value === null || sessions.value.length === 0) return null;
  return (
    <section class="pane stack" aria-label={texts.title}>
      <h2 class="h3">{texts.title}</h2>
      <table class="table">
        <tbody>
          {sessions.value.map(({ sessionId, address, panel, since, lastUsedAt, isThis }) => (
            <tr key={sessionId}>
              <td class="bold">
                {panel === null ? texts.from(address) : texts.atPanel(panel)}
                {isThis && ` (${texts.here})`}
              </td>
              <td class="dim">{texts.times(timeOrDate(since), timeOrDate(lastUsedAt))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" class="btn btn-start" onClick={() => void signOut(true).then(isDone)}>
        {texts.everywhere}
      </button>
    </section>
  );
}
