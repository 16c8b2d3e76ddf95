import { Writable } from 'node:stream';
import { destination, pino, stdSerializers } from 'pino';
import type { LogLevel } from '../../domain/log-level.ts';
import type { LeveledLog } from '../../flows/ports.ts';

/** syslog priorities, by which journald sorts (sd-daemon(3)). */
const JOURNAL_PRIORITY: Readonly<Record<string, number>> = {
  trace: 7,
  debug: 7,
  info: 6,
  warn: 4,
  error: 3,
  fatal: 2,
};

export interface ProgramLog extends LeveledLog {
  /** Everything logged so far has been written out. */
  flush(): void;
}

/**
 * The program's log (contract.md, The program): JSON lines on stdout, readable lines in colour on a terminal, with
 * priorities for journald under systemd.
 */
export function createLog(level: LogLevel, environment: NodeJS.ProcessEnv, isTerminal: boolean): ProgramLog {
  const out = destination({ dest: 1, sync: false });
  const stream = isTerminal
    ? rewritten(readableLine(isColoured(environment)))
    : environment.JOURNAL_STREAM
      ? rewritten(journalLine)
      : out;
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      hooks: { streamWrite: withEscapes },
      formatters: { level: (label) => ({ level: label }), log: withErrorTexts },
    },
    stream,
  );
  let current = level;
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    get level() {
      return current;
    },
    set level(changed) {
      current = changed;
      log.level = changed;
    },
    flush: () => {
      if (stream === out) out.flushSync();
    },
  };
}

/** JSON shows an Error as `{}`: its type, message and stack are logged instead, under any field name. */
function withErrorTexts(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(fields).some((value) => value instanceof Error)) return fields;
  const shown = Object.entries(fields).map(([name, value]) => {
    return [name, value instanceof Error ? stdSerializers.err(value) : value] as const;
  });
  return Object.fromEntries(shown);
}

/**
 * Control characters, changes of the writing direction and separators of lines: names from outside must not steer a
 * terminal.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** They are written as JSON escapes, in JSON and in readable lines. */
function escaped(text: string): string {
  return text.replace(STEERING, (character) => {
    const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
    return units.map((unit) => `\\u${unit}`).join('');
  });
}

function withEscapes(line: string): string {
  return `${escaped(line.trimEnd())}\n`;
}

type Line = Readonly<Record<string, unknown>>;

function rewritten(rewrite: (line: Line, json: string) => string): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const json = chunk.toString('utf8').trimEnd();
      process.stdout.write(`${rewrite(JSON.parse(json) as Line, json)}\n`, done);
    },
  });
}

function journalLine(line: Line, json: string): string {
  return `<${JOURNAL_PRIORITY[String(line.level)] ?? 6}>${json}`;
}

const GREY = 90;
const COLOURS: Readonly<Record<string, number>> = {
  trace: GREY,
  debug: GREY,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 31,
};

/** No colour for a person who asks for none (no-color.org), and for terminals without it. */
function isColoured({ NO_COLOR = '', TERM }: NodeJS.ProcessEnv): boolean {
  return NO_COLOR === '' && TERM !== 'dumb';
}

function readableLine(isInColour: boolean): (line: Line) => string {
  const painted = (text: string, colour: number) => (isInColour ? `\u001b[${colour}m${text}\u001b[0m` : text);
  return ({ time, level, msg, ...fields }) => {
    const details = Object.entries(fields)
      .map(([name, value]) => {
        return `${painted(`${name}=`, GREY)}${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`;
      })
      .join(' ');
    const label = painted(String(level).toUpperCase().padEnd(5), COLOURS[String(level)] ?? GREY);
    const clock = painted(String(time).slice(11, 19), GREY);
    return `${clock} ${label} ${escaped(String(msg))}${details === '' ? '' : `  ${details}`}`;
  };
}
