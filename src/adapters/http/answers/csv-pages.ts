import { BYTE_ORDER_MARK, type CsvForm, type CsvRow, csvLine, EXACT, spreadsheetForm } from '../../../domain/csv.ts';
import type { CsvAnswer } from '../requests/api-route.ts';

/** The form that the query of an export asks for. */
export function csvFormOf(query: Readonly<Record<string, unknown>>, timeText: (wallMs: number) => string): CsvForm {
  if (query.for !== 'spreadsheet') return EXACT;
  return spreadsheetForm(query.language === 'de' ? 'de' : 'en', timeText);
}

/** An export of records: a line for each, with these of its fields. */
export function csvAnswer<Column extends string>(
  fileName: string,
  columns: readonly Column[],
  pages: AsyncIterable<readonly Readonly<Record<Column, CsvRow[number]>>[]>,
): CsvAnswer {
  return { kind: 'csv', fileName, columns, pages: recordRows(columns, pages) };
}

async function* recordRows<Column extends string>(
  columns: readonly Column[],
  pages: AsyncIterable<readonly Readonly<Record<Column, CsvRow[number]>>[]>,
): AsyncIterable<Iterable<CsvRow>> {
  for await (const page of pages) yield page.map((record) => columns.map((column) => record[column]));
}

/** The lines of an export, page by page. Rejects if there is no first page: the answer can still be an error then. */
export async function csvPages(
  { columns, pages }: Pick<CsvAnswer, 'columns' | 'pages'>,
  form: CsvForm,
): Promise<AsyncIterable<Iterable<string>>> {
  const rows = rowsOf(pages);
  const first = await rows.next();
  return csvLines(columns, first.done === true ? [] : first.value, rows, form);
}

async function* rowsOf(pages: CsvAnswer['pages']): AsyncGenerator<Iterable<CsvRow>> {
  yield* pages;
}

async function* csvLines(
  columns: CsvRow,
  first: Iterable<CsvRow>,
  others: AsyncIterable<Iterable<CsvRow>>,
  form: CsvForm,
): AsyncIterable<Iterable<string>> {
  if (form !== EXACT) yield [BYTE_ORDER_MARK];
  yield linesOf([columns], form);
  yield linesOf(first, form);
  for await (const page of others) yield linesOf(page, form);
}

function* linesOf(rows: Iterable<CsvRow>, form: CsvForm): Iterable<string> {
  for (const row of rows) yield csvLine(row, form);
}
