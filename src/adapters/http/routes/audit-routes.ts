import * as Type from 'typebox';
import type { CsvRow } from '../../../domain/csv.ts';
import type { Audit } from '../../../flows/audit/audit.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, getBy, jsonText } from '../requests/api-route.ts';
import { CSV, CSV_FORM, DATE, limitOf, orNull, record } from './shapes.ts';

const AUDIT_PAGE = Type.Object(
  {
    entries: Type.Array(
      record('AuditEntry', 'who did what: number, at, who, role, address, act, subject, before, after, hash'),
    ),
    next: orNull(Type.Integer({ description: '`before` of the next page' })),
    total: orNull(
      Type.Integer({ description: 'All entries; with a text null while older ones are not looked through' }),
    ),
  },
  { title: 'AuditPage' },
);

const STRICT = { additionalProperties: false } as const;
const TEXT = Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.queryTextLength }));
const SEARCH = { q: TEXT, date: Type.Optional(DATE) };
const QUERY = Type.Object(
  {
    before: Type.Optional(Type.Integer({ minimum: 1 })),
    take: limitOf(100),
    gatewayId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'only entries that name this gateway that sends here' }),
    ),
    ...SEARCH,
  },
  STRICT,
);

/** Entries of one page of the export. An entry may have thousands of characters, which the main thread reads. */
const EXPORTED_AT_ONCE = 100;

const COLUMNS = ['number', 'at', 'who', 'role', 'address', 'act', 'subject', 'before', 'after', 'hash'] as const;

/** The audit log, newest first (contract.md, Local API). */
export function auditRoutes(audit: Audit): readonly ApiRoute[] {
  return [
    getBy(
      '/audit',
      'technician',
      QUERY,
      described('Lists who did what, the newest first', AUDIT_PAGE),
      async ({ query: { before = null, take, gatewayId, q = null, date = null } }) =>
        jsonText(await audit.text({ before, take, gatewayId, text: q, date })),
    ),
    getBy(
      '/audit.csv',
      'technician',
      Type.Object({ ...SEARCH, ...CSV_FORM }, STRICT),
      described('Exports who did what', CSV),
      ({ query: { q = null, date = null } }) => ({
        kind: 'csv',
        fileName: 'audit.csv',
        columns: COLUMNS,
        pages: auditPages(audit, q, date),
      }),
    ),
  ];
}

async function* auditPages(audit: Audit, text: string | null, date: string | null): AsyncIterable<Iterable<CsvRow>> {
  let before: number | null = null;
  do {
    const page = await audit.page({ before, take: EXPORTED_AT_ONCE, text, date });
    yield page.entries.map((entry) =>
      COLUMNS.map((column) => (column === 'at' ? new Date(entry.at).toISOString() : entry[column])),
    );
    before = page.next;
  } while (before !== null);
}
