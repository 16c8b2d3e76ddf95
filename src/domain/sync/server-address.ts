/** The prefix of each path of a central server; '' or without a slash at its end. */
export function basePathOf(url: URL): string {
  return url.pathname.replace(/\/+$/, '');
}

/** The address that identifies a central server, because several may be behind one host (D-30). */
export function serverOf(upstreamUrl: string): string {
  const url = new URL(upstreamUrl);
  return url.host + basePathOf(url);
}
