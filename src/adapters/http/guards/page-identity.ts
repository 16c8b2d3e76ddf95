import type { IncomingMessage } from 'node:http';
import { CodedError } from '../../../domain/error.ts';
import type { Panels } from '../../../flows/people/panels.ts';
import type { Panel } from '../../../flows/people/people-ports.ts';
import type { Sessions } from '../../../flows/people/sessions.ts';
import { originOf } from '../requests/client.ts';
import type { Identity } from './authenticator.ts';
import { panelToken, sessionToken } from './session-cookie.ts';

export interface PageIdentities {
  readonly people: Pick<Sessions, 'session'>;
  readonly panels: Pick<Panels, 'find' | 'isEnrolled'>;
}

const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** The identity of a browser by its cookies: the signed-in person, else the panel, which may only read. */
export async function pageIdentity(
  request: IncomingMessage,
  { people, panels }: PageIdentities,
): Promise<Identity | null> {
  const token = sessionToken(request);
  const isAct = !READING.has(request.method);
  const session = token === null ? null : people.session(token, originOf(request), isAct);
  if (session !== null) return { ...session, keyId: `session ${session.sessionId}` };
  const panel = await panelOf(request, panels);
  if (panel === null) return null;
  const { id, name: principal, plants } = panel;
  return { keyId: id, principal, role: 'viewer', plants, isCurrent: () => panels.isEnrolled(id) };
}

/** The enrolled panel that sends the request; null for another browser, or a program. */
export async function panelOf(request: IncomingMessage, panels: Pick<Panels, 'find'>): ReturnType<Panels['find']> {
  const token = panelToken(request);
  return token === null ? null : panels.find(token);
}

/** Throws `not-permitted` if the browser is no panel. */
export function requirePanel(panel: Panel | null): Panel {
  if (panel !== null) return panel;
  throw new CodedError(
    'not-permitted',
    'panel: this browser is not enrolled; an administrator enrols it under Admin, People',
  );
}
