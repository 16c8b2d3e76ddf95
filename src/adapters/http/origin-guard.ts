import type { Context, Next } from 'koa';
import { HttpError } from './error-answer.ts';

const READING = new Set(['GET', 'HEAD']);

/** Refuses writes that a browser sends on behalf of another site: by Sec-Fetch-Site, and by Origin where that is old. */
export function guardOrigin(context: Context, next: Next): Promise<unknown> {
  if (READING.has(context.method)) return next();
  const { origin, host, 'sec-fetch-site': site } = context.req.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new HttpError(403, `Sec-Fetch-Site: found ${JSON.stringify(site)}, expected same-origin`);
  }
  const own = `${context.protocol}://${host ?? ''}`;
  if (origin !== undefined && origin.toLowerCase() !== own.toLowerCase()) {
    throw new HttpError(403, `Origin: found ${JSON.stringify(origin.slice(0, 100))}, expected ${own}`);
  }
  return next();
}
