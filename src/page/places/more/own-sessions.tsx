import type { SessionView } from '../../../flows/people/people-ports.ts';
import { call } from '../../api/call.ts';
import { isDone } from '../../app/tell-outcome.ts';
import { useLoaded } from '../../app/use-loaded.ts';
import { signOut } from '../../people/who.ts';
import { timeOrDate } from '../../show/format.ts';
import { words } from '../../words/words.ts';

type Session = SessionView & { readonly isThis: boolean };

/** Where one is signed in, and the way out everywhere. */
export function OwnSessions() {
  const sessions = useLoaded('', () => call<readonly Session[]>('GET', '/session/all'));
  const { sessions: said } = words.value;
  if (sessions.value === null || sessions.value.length === 0) return null;
  return (
    <section class="pane stack" aria-label={said.title}>
      <h2 class="h3">{said.title}</h2>
      <table class="table">
        <tbody>
          {sessions.value.map(({ sessionId, address, panel, since, lastUsedAt, isThis }) => (
            <tr key={sessionId}>
              <td class="bold">
                {panel === null ? said.from(address) : said.atPanel(panel)}
                {isThis && ` (${said.here})`}
              </td>
              <td class="dim">{said.times(timeOrDate(since), timeOrDate(lastUsedAt))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" class="btn btn-start" onClick={() => void signOut(true).then(isDone)}>
        {said.everywhere}
      </button>
    </section>
  );
}
