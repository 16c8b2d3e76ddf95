import { BYTE_ORDER_MARK, type CsvForm, type CsvRow, csvLine, EXACT, spreadsheetForm } from '../../../domain/csv.ts';

/** The form that the query of an export asks for. */
export function csvFormOf(query: Readonly<Record<string, unknown>>, timeText: (wallMs: number) => string): CsvForm {
  if (query.for !== 'spreadsheet') return EXACT;
  return spreadsheetForm(query.language === 'de' ? 'de' : 'en', timeText);
}

/** The lines of an export, page by page. */
export async function* csvPages(
  pages: AsyncIterable<Iterable<CsvRow>>,
  form: CsvForm,
): AsyncIterable<Iterable<string>> {
  if (form !== EXACT) yield [BYTE_ORDER_MARK];
  for await (const page of pages) yield linesOf(page, form);
}

function* linesOf(rows: Iterable<CsvRow>, form: CsvForm): Iterable<string> {
  for (const row of rows) yield csvLine(row, form);
}
