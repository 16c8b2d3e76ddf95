const RELEASE = /^## (\S+) - (\d{4}-\d{2}-\d{2})$/;

/** The time of the newest release, by CHANGELOG.md. */
export function releasedAt(changelog: string): Date {
  const [, , day] =
    changelog
      .split('\n')
      .map((line) => RELEASE.exec(line))
      .find((found) => found !== null) ?? [];
  if (day === undefined) throw new Error('CHANGELOG.md: expected a heading as "## 1.2.3 - 2026-01-31"');
  return new Date(`${day}T00:00:00Z`);
}

/** CHANGELOG.md in Debian's form (Debian Policy, 4.4), for a package of this name. */
export function debianChangelog(changelog: string, maintainer: string, name: string): string {
  const [, ...releases] = changelog.split(/^(?=## )/m);
  return releases.map((release) => debianRelease(release, maintainer, name)).join('\n');
}

function debianRelease(release: string, maintainer: string, name: string): string {
  const [heading = '', ...lines] = release.trim().split('\n');
  const [, version, day] = RELEASE.exec(heading) ?? [];
  const changes = lines
    .join('\n')
    .trim()
    .split(/^- /m)
    .filter((text) => text !== '')
    .flatMap(entryLines);
  const date = new Date(`${day}T00:00:00Z`).toUTCString().replace('GMT', '+0000');
  return [`${name} (${version}) stable; urgency=medium`, '', ...changes, '', ` -- ${maintainer}  ${date}`, ''].join(
    '\n',
  );
}

const MAX_LINE_LENGTH = 78;

/** One change, its words filled into short lines. */
function entryLines(text: string): readonly string[] {
  const lines = ['  *'];
  for (const word of text.trim().split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length < MAX_LINE_LENGTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines;
}
