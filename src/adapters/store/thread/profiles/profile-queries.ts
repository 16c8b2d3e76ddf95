import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Profile } from '../../../../domain/profile/profile.ts';
import { type ProfileEntry, profileEntry } from '../../../../domain/profile/profile-entry.ts';
import type { ProfileFilter, ProfileSearch } from '../../../../flows/library/profile-ports.ts';
import type { JsonText } from '../../../../flows/warehouse/warehouse-ports.ts';
import { Slice } from '../../../../runtime/slice.ts';
import type { Connection } from '../database/connection.ts';
import { folded, isSpelled } from '../database/letter-case.ts';

/** Characters of one list. */
const MAX_LIST_LENGTH = 8 * 1024 * 1024;
/** A page of a plant file is not much longer. */
const MAX_PAGE_LENGTH = 1024 * 1024;
/** Profiles read at once; commits get their turn between two slices. */
const SLICE_PROFILES = 50;

const EVERY = { category: null, subCategory: null, owningCatalogId: null, name: null, skip: 0 } as const;

type Bound = string | number;
type Flag = 0 | 1;

/** Profiles as they were written. */
export class ProfileQueries {
  readonly #connection: Connection;
  readonly #byId;
  readonly #listed;
  /** The texts in which a person searches, in one. */
  readonly #sought;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#byId = connection.prepare<[string], string>('SELECT json FROM profile WHERE profile_id = ?').pluck();
    this.#sought = connection
      .prepare<[string, number], string>(
        `SELECT concat_ws(' ', name, category, sub_category, json_extract(json, '$.description')) FROM profile
         WHERE profile_id = ? AND archived = ?`,
      )
      .pluck();
    this.#listed = connection
      .prepare<[string, number], string>('SELECT json FROM profile WHERE profile_id = ? AND archived = ?')
      .pluck();
  }

  profile(profileId: string): Profile | null {
    const json = this.#byId.get(profileId);
    // Written by ProfileWriter, which takes profiles alone.
    return json === undefined ? null : (JSON.parse(json) as Profile);
  }

  idsIn(catalogId: number, limit: number): readonly string[] {
    return this.#ids({ ...EVERY, owningCatalogId: catalogId, take: limit });
  }

  text(profileId: string): JsonText | null {
    const json = this.#byId.get(profileId);
    return json === undefined ? null : jsonText(json);
  }

  /** Null if the list is too long for one answer. */
  async list(filter: ProfileFilter): Promise<JsonText | null> {
    const list = await this.#listOf(this.#ids(filter), 0);
    return list === null ? null : jsonText(list);
  }

  /** `{total, items}`; null if the items are too long for one answer. */
  async search({ text, archived, catalogId, skip, take }: ProfileSearch): Promise<JsonText | null> {
    const sought = folded(text?.trim() ?? '');
    const isArchived = archived ? 1 : 0;
    const all = this.#ids({ ...EVERY, owningCatalogId: catalogId, take: -1 }, isArchived);
    const found: string[] = [];
    const slice = new Slice();
    for (const profileId of sought === '' ? [] : all) {
      if (folded(this.#sought.get(profileId, isArchived) ?? '').includes(sought)) found.push(profileId);
      await slice.pause();
    }
    const matching = sought === '' ? all : found;
    const items = await this.#listOf(matching.slice(skip, skip + take), isArchived);
    return items === null ? null : jsonText(`{"total":${matching.length},"items":${items}}`);
  }

  async #listOf(profileIds: readonly string[], isArchived: Flag): Promise<string | null> {
    const texts: string[] = [];
    let length = 0;
    for (const [place, profileId] of profileIds.entries()) {
      if (place % SLICE_PROFILES === SLICE_PROFILES - 1) await nextTurn();
      const json = this.#listed.get(profileId, isArchived);
      if (json === undefined) continue;
      texts.push(json);
      length += json.length;
      if (length > MAX_LIST_LENGTH) return null;
    }
    return `[${texts.join(',')}]`;
  }

  /** Profiles in the order of their ids, behind `after`: `limit` of them, or fewer if they are long. */
  records(after: string, limit: number): JsonText {
    const select = this.#connection.prepare<[string, number], string>(
      'SELECT json FROM profile WHERE archived = 0 AND profile_id > ? ORDER BY profile_id LIMIT ?',
    );
    const entries: ProfileEntry[] = [];
    let length = 0;
    for (const json of select.pluck().iterate(after, limit)) {
      // Only ProfileWriter writes it.
      entries.push(profileEntry(JSON.parse(json) as Profile));
      length += json.length;
      if (length > MAX_PAGE_LENGTH) break;
    }
    return jsonText(JSON.stringify(entries));
  }

  #ids(filter: ProfileFilter, isArchived: Flag = 0): readonly string[] {
    const { sql, values } = conditions(filter);
    const select = this.#connection.prepare<Bound[], string>(
      `SELECT profile_id FROM profile WHERE archived = ${isArchived} ${sql} ORDER BY name COLLATE NOCASE, profile_id LIMIT ? OFFSET ?`,
    );
    return select.pluck().all(...values, filter.take, filter.skip);
  }
}

function conditions({ category, subCategory, owningCatalogId, name }: ProfileFilter): {
  readonly sql: string;
  readonly values: readonly Bound[];
} {
  const texts = Object.entries({ category, sub_category: subCategory, name }).flatMap(([column, text]) =>
    text === null ? [] : [{ sql: isSpelled(column, '?', folded(text)), value: folded(text) }],
  );
  const catalog = owningCatalogId === null ? [] : [{ sql: 'catalog_id = ?', value: owningCatalogId }];
  const asked = [...texts, ...catalog];
  return {
    sql: asked.map(({ sql }) => `AND ${sql}`).join(' '),
    values: asked.map(({ value }) => value),
  };
}

const encoder = new TextEncoder();

export function jsonText(json: string): JsonText {
  return { bytes: encoder.encode(json) };
}
