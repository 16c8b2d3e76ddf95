import { BYTE_ORDER_MARK, type CsvRow, csvLine, spreadsheetForm } from '../../domain/csv.ts';
import { htmlText } from '../../domain/html-text.ts';
import {
  REPORT_WORDS,
  type ReportFigures,
  type ReportLanguage,
  type ReportSheet,
  reportHeadline,
  reportNumber,
  reportPercent,
  reportTime,
  reportTitle,
  scrapShare,
} from '../../domain/production/report-sheet.ts';

const CELL = 'padding:4px 12px 4px 0;border-bottom:1px solid #d5d8dc;text-align:left';
const NUMBER_CELL = `${CELL};text-align:right`;

/** The report as HTML with tables, and without pictures: mail programs show no others unasked. */
export function reportHtml(sheet: ReportSheet, language: ReportLanguage): string {
  const words = REPORT_WORDS[language];
  const machines = sheet.machines.map((one) => [one.name, ...figuresOf(one, language)]);
  const heads = [words.machine, words.good, words.target, words.scrap, 'OEE', words.running, words.unplanned];
  return `<!doctype html>
<html lang="${language}">
<body style="font:15px/1.4 system-ui,sans-serif;color:#16191d">
<h1 style="font-size:20px">${htmlText(reportTitle(sheet, language))}</h1>
<p><b>${htmlText(reportHeadline(sheet.total, language))}</b></p>
${table(heads, [...machines, [words.all, ...figuresOf(sheet.total, language)]], words.none)}
${sheet.moreMachines > 0 ? `<p>${words.more(sheet.moreMachines)}</p>` : ''}
<h2 style="font-size:16px">${words.reasons}</h2>
${table(
  [words.reason, words.lasted, words.times],
  sheet.reasons.map(({ reason, seconds, count }) => [
    reason ?? words.noReason,
    reportTime(seconds),
    reportNumber(count, language),
  ]),
  words.none,
)}
<h2 style="font-size:16px">${words.longest}</h2>
${table(
  [words.from, words.lasted, words.machine, words.reason, words.note],
  sheet.stops.map(({ at, seconds, machine, reason, note }) => [
    at,
    seconds === null ? words.lasts : reportTime(seconds),
    machine,
    reason ?? words.noReason,
    note ?? '',
  ]),
  words.none,
)}
${sheet.people.length > 0 ? `<p>${words.people}: ${htmlText(sheet.people.join(', '))}</p>` : ''}
<p style="color:#5a6068">${words.stop}</p>
</body>
</html>
`;
}

function figuresOf(figures: ReportFigures, language: ReportLanguage): readonly string[] {
  const { goodParts, targetParts, oeeIndex, runningSeconds, unplannedStopSeconds } = figures;
  return [
    reportNumber(goodParts, language),
    targetParts === null ? '–' : reportNumber(targetParts, language),
    reportPercent(scrapShare(figures), language),
    reportPercent(oeeIndex, language),
    reportTime(runningSeconds),
    reportTime(unplannedStopSeconds),
  ];
}

/** A table of plain texts, the first column to the left, and `none` if it has no rows. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return `<p>${none}</p>`;
  const row = (tag: 'td' | 'th', cells: readonly string[]) => {
    const all = cells.map((cell, place) => {
      return `<${tag} style="${place === 0 ? CELL : NUMBER_CELL}">${htmlText(cell)}</${tag}>`;
    });
    return `<tr>${all.join('')}</tr>`;
  };
  const body = rows.map((cells) => row('td', cells)).join('\n');
  return `<table style="border-collapse:collapse"><thead>${row('th', heads)}</thead>\n<tbody>${body}</tbody></table>`;
}

/** The table of machines as a file for a spreadsheet of the language. */
export function reportCsv({ machines, total }: ReportSheet, language: ReportLanguage): string {
  const words = REPORT_WORDS[language];
  // The rows hold no times, whose form would need the zone.
  const form = spreadsheetForm(language, () => '');
  const { good, scrap, target, running, unplanned } = words;
  const heads = [words.machine, good, scrap, target, 'OEE', `${running} (s)`, `${unplanned} (s)`];
  const line = (name: string, row: ReportFigures): CsvRow => [
    name,
    row.goodParts,
    row.badParts,
    row.targetParts,
    row.oeeIndex,
    row.runningSeconds,
    row.unplannedStopSeconds,
  ];
  const rows = [heads, ...machines.map((one) => line(one.name, one)), line(words.all, total)];
  return BYTE_ORDER_MARK + rows.map((row) => csvLine(row, form)).join('');
}

/** `2026-11-24-Early.csv`, in letters that every mail program takes. */
export function reportFileName({ period, from, shiftName }: ReportSheet): string {
  return `${[from, shiftName ?? period].join('-').replaceAll(/[^\w-]+/g, '_')}.csv`;
}
