import type { Coil } from '../../../../domain/plant/plant.ts';
import { searchWords } from '../../../../domain/warehouse/task.ts';
import type { CoilFilter, CoilSearch, JsonText } from '../../../../flows/warehouse/warehouse-ports.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { CoilRows, NumberedCoil } from './coil-rows.ts';
import { ColumnIndex, type IndexedRow, type IndexQuery } from './index/column-index.ts';
import type { ColumnKind, Condition } from './index/column-table.ts';
import { jsonTextOf } from './json-text.ts';

const COLUMNS = {
  coilId: 'text',
  materialCode: 'text',
  materialType: 'text',
  color: 'text',
  location: 'text',
  dateIn: 'text',
  gauge: 'number',
  widthIn: 'number',
  lengthRemainingFt: 'number',
  currentWeightLbs: 'number',
  isComplete: 'number',
} as const satisfies Partial<Record<keyof Coil, ColumnKind>>;

type Column = keyof typeof COLUMNS;

/** Lists of coils and the search in them (COIL-02, COIL-05, D-19). */
export class CoilQueries {
  readonly #rows: CoilRows;
  readonly #changeFeed: ChangeFeed;
  readonly #index: ColumnIndex<Column>;

  constructor(rows: CoilRows, changeFeed: ChangeFeed) {
    this.#rows = rows;
    this.#changeFeed = changeFeed;
    this.#index = new ColumnIndex<Column>({
      columns: COLUMNS,
      idColumn: 'coilId',
      rowsAfter: (id, limit) => rows.after(id, limit).map(indexedCoil),
      count: () => rows.count(),
      row: (id) => {
        const found = rows.findNumbered(id);
        return found === null ? null : indexedCoil(found);
      },
    });
  }

  /** Makes ready for the first question. */
  async prepare(): Promise<void> {
    await this.#index.upToDate();
  }

  noteChange(coilId: string): void {
    this.#index.noteChange(coilId);
    this.#changeFeed.note('coil', coilId);
  }

  noteRemoval(coilId: string, slot: number): void {
    this.#index.noteRemoval(coilId, slot);
    this.#changeFeed.note('coil', coilId, true);
  }

  noteReplacement(): void {
    this.#index.noteReplacement();
    this.#changeFeed.noteMany('coil');
  }

  list(filter: CoilFilter): Promise<JsonText> {
    const conditions = [...commonConditions(filter), ...listConditions(filter)];
    const query = { conditions, skip: filter.skip, take: filter.take };
    return this.#index.page(query, ({ slots }) => jsonTextOf(this.#rows.json(slots)));
  }

  /** The ids of coils at a location. */
  idsAt(location: string, limit: number): Promise<readonly string[]> {
    return this.#ids(equal('location', location), limit);
  }

  /** The ids that are this one in any case of its letters. */
  idsInAnyCase(coilId: string, limit: number): Promise<readonly string[]> {
    return this.#ids(spelled('coilId', coilId), limit);
  }

  search(search: CoilSearch): Promise<JsonText> {
    const { skip, take, q, sort } = search;
    const query: IndexQuery<Column> = {
      conditions: [...commonConditions(search), ...searchConditions(search)],
      beginnings: q === null ? [] : searchWords(q),
      sort: { column: sort.field, descending: sort.descending },
      skip,
      take,
    };
    return this.#index.page(query, ({ total, slots }) => {
      const items = this.#rows.json(slots);
      return jsonTextOf(`{"total":${total},"skip":${skip},"take":${take},"items":${items}}`);
    });
  }

  #ids(conditions: readonly Condition<Column>[], limit: number): Promise<readonly string[]> {
    return this.#index.page({ conditions, take: limit }, ({ slots }) => this.#rows.ids(slots));
  }
}

function commonConditions({ includeComplete }: CoilFilter): Condition<Column>[] {
  return equal('isComplete', includeComplete ? null : 0);
}

/** The interface wants codes exact in the list; a plant may have `WH-A1` and `wh-a1` (D-44). */
function listConditions({ materialCode, location }: CoilFilter): Condition<Column>[] {
  return [...equal('materialCode', materialCode), ...equal('location', location)];
}

function searchConditions(search: CoilSearch): Condition<Column>[] {
  const { materialCode, location, materialType, color, gauge, widthIn, minimumLengthFt } = search;
  return [
    ...spelled('materialCode', materialCode),
    ...spelled('location', location),
    ...spelled('materialType', materialType),
    ...spelled('color', color),
    ...equal('gauge', gauge),
    ...equal('widthIn', widthIn),
    ...(minimumLengthFt === null
      ? []
      : [{ column: 'lengthRemainingFt', is: 'atLeast', value: minimumLengthFt } as const]),
  ];
}

function equal(column: Column, value: string | number | null): Condition<Column>[] {
  return value === null ? [] : [{ column, is: 'equal', value }];
}

/** The search finds a text in upper or lower case, like the legacy system (D-44). */
function spelled(column: Column, value: string | null): Condition<Column>[] {
  return value === null ? [] : [{ column, is: 'spelled', value }];
}

function indexedCoil({ slot, coil }: NumberedCoil): IndexedRow<Column> {
  const { coilId, materialCode, description, materialType, color, vendorName, heatNumber, purchaseOrder } = coil;
  const { gauge, location } = coil;
  const origin = [description, vendorName, heatNumber, purchaseOrder];
  const texts = [coilId, materialCode, materialType, color, gauge, location, ...origin];
  const cells = { ...coil, isComplete: Number(coil.isComplete) };
  return { slot, id: coilId, cells, words: searchWords(texts.join(' ')) };
}
