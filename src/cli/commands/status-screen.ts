import { printable } from '../terminal-text.ts';
import type { MachineRow, StatusFact, StatusReport } from './status-report.ts';

export interface Screen {
  /** Null for no limit. */
  readonly columns: number | null;
  readonly hasColor: boolean;
}

type Tone = 'plain' | 'good' | 'bad' | 'faint';

interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** The order in which columns are left out on a narrow terminal: the greatest first; 0 stays. */
  readonly expendable: number;
  /** The column may be cut to this width before a column is left out. */
  readonly minWidth: number;
  cell(row: MachineRow): Cell;
}

const plain = (text: string): Cell => ({ text: printable(text), tone: 'plain' });
const count = (value: number | null) => plain(value === null ? '-' : String(value));

const COLUMNS: readonly Column[] = [
  { title: 'MACHINE', align: 'left', expendable: 0, minWidth: 8, cell: (row) => plain(row.machineId) },
  { title: 'NAME', align: 'left', expendable: 5, minWidth: 10, cell: (row) => plain(row.name) },
  { title: 'LINK', align: 'left', expendable: 0, minWidth: 7, cell: linkCell },
  { title: 'ACTIVITY', align: 'left', expendable: 2, minWidth: 8, cell: (row) => plain(row.activity) },
  { title: 'RUN', align: 'left', expendable: 0, minWidth: 3, cell: runCell },
  { title: 'MESSAGE', align: 'left', expendable: 1, minWidth: 16, cell: (row) => plain(row.message) },
  { title: 'PART', align: 'left', expendable: 4, minWidth: 8, cell: (row) => plain(row.part) },
  { title: 'GOOD', align: 'right', expendable: 3, minWidth: 4, cell: (row) => count(row.goodParts) },
  { title: 'SCRAP', align: 'right', expendable: 3, minWidth: 5, cell: (row) => count(row.badParts) },
];

const GAP = '  ';

/** The status of a gateway as lines of text, no wider than the screen. */
export function renderStatus(report: StatusReport, screen: Screen): readonly string[] {
  return [
    ...headLines(report),
    '',
    ...(report.machines.length === 0 ? ['No machines are configured.'] : tableLines(report.machines, screen)),
    '',
    ...report.facts.flatMap((fact) => factLines(fact, screen)),
  ].map((line) => line.trimEnd());
}

const FACT_NAME_WIDTH = 11;

/** A long text goes on below its beginning: its end may hold the cause. */
function factLines({ name, text, isBad }: StatusFact, screen: Screen): readonly string[] {
  const room = Math.max(1, (screen.columns ?? Number.POSITIVE_INFINITY) - FACT_NAME_WIDTH);
  return wrapped(printable(text), room).map((line, place) => {
    const shown = painted({ text: line, tone: isBad ? 'bad' : 'plain' }, screen);
    return `${(place === 0 ? name : '').padEnd(FACT_NAME_WIDTH)}${shown}`;
  });
}

/** Lines of whole words; only a word that is longer than a line is divided. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: readonly string[] = [];
  for (const word of text.split(' ')) {
    const longer = [...line, ...(line.length === 0 ? [] : [' ']), ...word];
    if (longer.length <= width || line.length === 0) line = longer;
    else {
      lines.push(line.join(''));
      line = [...word];
    }
    for (; line.length > width; line = line.slice(width)) lines.push(line.slice(0, width).join(''));
  }
  return [...lines, line.join('')];
}

function headLines({ url, version, uptimeSeconds, machines }: StatusReport): readonly string[] {
  const online = machines.filter(({ connection }) => connection === 'online').length;
  const mayRun = machines.filter(({ runEnabled }) => runEnabled === true).length;
  const running = machines.filter(({ activity }) => activity === 'running').length;
  const program = version === null ? 'plantgate' : `plantgate ${printable(version)}`;
  const up = uptimeSeconds === null ? '' : `, up ${durationText(uptimeSeconds)}`;
  return [
    `${program} on ${printable(url)}${up}`,
    `${machines.length} ${machines.length === 1 ? 'machine' : 'machines'}: ${online} online, ${running} running, ${mayRun} may run, ${machines.length - mayRun} may not`,
  ];
}

function tableLines(rows: readonly MachineRow[], screen: Screen): readonly string[] {
  const columns = fitting(rows, screen.columns ?? Number.POSITIVE_INFINITY);
  const heading = columns.map(({ column, width }) => padded(cut(column.title, width), width, column.align));
  return [
    painted({ text: heading.join(GAP), tone: 'faint' }, screen),
    ...rows.map((row) =>
      columns
        .map(({ column, width }) => {
          const { text, tone } = column.cell(row);
          return painted({ text: padded(cut(text, width), width, column.align), tone }, screen);
        })
        .join(GAP),
    ),
  ];
}

interface FittedColumn {
  readonly column: Column;
  readonly width: number;
}

/** The columns that fit: first the widest is cut as far as it may, then columns are left out. */
function fitting(rows: readonly MachineRow[], room: number): readonly FittedColumn[] {
  let fitted: readonly FittedColumn[] = COLUMNS.map((column) => ({
    column,
    width: rows.reduce((width, row) => Math.max(width, [...column.cell(row).text].length), column.title.length),
  }));
  while (totalWidth(fitted) > room) {
    const cutDown = narrowed(fitted, totalWidth(fitted) - room);
    const [most] = fitted.map(({ column }) => column.expendable).sort((one, other) => other - one);
    if (totalWidth(cutDown) <= room || most === undefined || most === 0) return cutDown;
    fitted = fitted.filter(({ column }) => column.expendable !== most);
  }
  return fitted;
}

function narrowed(columns: readonly FittedColumn[], excess: number): readonly FittedColumn[] {
  let left = excess;
  return [...columns]
    .sort((one, other) => other.width - one.width)
    .map(({ column, width }) => {
      const taken = Math.max(0, Math.min(left, width - column.minWidth));
      left -= taken;
      return { column, width: width - taken };
    })
    .sort((one, other) => COLUMNS.indexOf(one.column) - COLUMNS.indexOf(other.column));
}

function totalWidth(columns: readonly FittedColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
}

function linkCell({ connection }: MachineRow): Cell {
  return { text: printable(connection), tone: connection === 'offline' ? 'bad' : 'plain' };
}

function runCell({ runEnabled }: MachineRow): Cell {
  if (runEnabled === null) return plain('-');
  return runEnabled ? { text: 'yes', tone: 'good' } : { text: 'no', tone: 'bad' };
}

const COLOR_CODE: Readonly<Record<Exclude<Tone, 'plain'>, number>> = { good: 32, bad: 31, faint: 2 };

function painted({ text, tone }: Cell, { hasColor }: Screen): string {
  return hasColor && tone !== 'plain' ? `\u001b[${COLOR_CODE[tone]}m${text}\u001b[0m` : text;
}

function padded(text: string, width: number, align: Column['align']): string {
  const padding = ' '.repeat(Math.max(0, width - [...text].length));
  return align === 'left' ? text + padding : padding + text;
}

function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

function durationText(totalSeconds: number): string {
  const minutes = Math.floor(totalSeconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min` : `${Math.floor(totalSeconds)} s`;
}
