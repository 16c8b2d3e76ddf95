import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/cli/main-thread.ts', import.meta.url).href;
const BOTH = `
  import { computerTimeZone } from ${JSON.stringify(MODULE)};
  console.log(JSON.stringify([computerTimeZone(process.env), Intl.DateTimeFormat().resolvedOptions().timeZone]));
`;

it.each(['UTC', 'Etc/UTC', 'Europe/Berlin', ':Europe/Paris', 'Atlantic/Reykjavik', 'Mars/Phobos', '', undefined])(
  'the time zone is the one that Intl gives if TZ is %s',
  (TZ) => {
    const { TZ: _, ...env } = process.env;
    const options = { encoding: 'utf8', env: { ...env, ...(TZ !== undefined && { TZ }) } } as const;
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', BOTH], options);
    const [ours, ofIntl] = JSON.parse(told);
    expect(ours).toBe(ofIntl);
  },
);
