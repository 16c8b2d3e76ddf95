import type { IncomingMessage } from 'node:http';

const SESSION = 'plantgate-session';
const PANEL = 'plantgate-panel';
/** Browsers keep no cookie longer than 400 days. The gateway ends sessions earlier, by their last use. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
/** A longer cookie is no session. */
const MAX_TOKEN_LENGTH = 128;

/** The token of the session that a browser shows, or null. */
export function sessionToken(request: IncomingMessage): string | null {
  return tokenIn(request, SESSION);
}

/** The token that identifies an enrolled panel, or null. */
export function panelToken(request: IncomingMessage): string | null {
  return tokenIn(request, PANEL);
}

/** `Set-Cookie` of a new session: no script reads it, no page of another site sends it. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return cookieOf(SESSION, token, MAX_AGE_SECONDS, isSecure);
}

/** `Set-Cookie` that makes the browser a panel. */
export function panelCookie(token: string, isSecure: boolean): string {
  return cookieOf(PANEL, token, MAX_AGE_SECONDS, isSecure);
}

/** `Set-Cookie` that removes the session. */
export function noSessionCookie(isSecure: boolean): string {
  return cookieOf(SESSION, '', 0, isSecure);
}

function tokenIn({ headers: { cookie = '' } }: IncomingMessage, wanted: string): string | null {
  for (const pair of cookie.split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === wanted && value !== '' && value.length <= MAX_TOKEN_LENGTH) return value;
  }
  return null;
}

function cookieOf(name: string, value: string, maxAgeSeconds: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
