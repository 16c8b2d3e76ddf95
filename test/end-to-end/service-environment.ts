import { readFileSync } from 'node:fs';
import path from 'node:path';

const UNIT = path.resolve(import.meta.dirname, '../../systemd/plantgate.service');

/** The environment of a program that runs as the service does: the tuning in the unit's `Environment=` lines, without its paths. */
export function serviceEnvironment(): NodeJS.ProcessEnv {
  const settings = [...readFileSync(UNIT, 'utf8').matchAll(/^Environment=(.*)$/gm)];
  const words = settings.flatMap(([, line = '']) => line.split(' '));
  const tuning = words.map((word) => word.split(/=(.*)/s, 2)).filter(([name]) => !/^(HOME|PKG_)/.test(name ?? ''));
  return { ...process.env, ...Object.fromEntries(tuning) };
}
