import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { MoreButton } from '../../app/more-button.tsx';
import { SearchField } from '../../app/search-field.tsx';
import { Icon } from '../../show/icon.tsx';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';
import { type FormField, RecordForm } from './record-form.tsx';
import { useForm } from './use-form.ts';
import { removeRecord, useRecords } from './use-records.ts';

const SHOWN = 100;

/** A column of the table: its heading, and the cell of a record. */
type Column<T> = readonly [heading: string, cell: (record: T) => ComponentChildren];

interface RecordsTabProps<T extends object> {
  readonly kind: 'downtimeReasons' | 'locations' | 'parts' | 'reasonCodes';
  readonly label: string;
  readonly add: string;
  readonly idField: string & keyof T;
  /** The name that people know it by. */
  readonly nameOf: (record: T) => string;
  readonly columns: readonly Column<T>[];
  readonly fieldsOf: (record: T | null) => readonly FormField[];
  /** The fields of a record that the form keeps without asking for them. */
  readonly kept?: (record: T) => object;
  readonly more?: (record: T | null) => ComponentChildren;
  /** The second act of a row; without it the record can be removed. */
  readonly act?: (record: T) => ComponentChildren;
  readonly none?: ComponentChildren;
}

/** Plant data of one kind: found, added, changed and removed. */
export function RecordsTab<T extends object>(props: RecordsTabProps<T>) {
  const { kind, label, add, idField, nameOf, none } = props;
  const { records, reload } = useRecords<T>(kind);
  const { form, open, close } = useForm();
  const sought = useSignal('');
  const most = useSignal(SHOWN);
  if (records === null) return null;
  const idOf = (record: T) => String(record[idField]);
  const text = sought.value.trim().toLowerCase();
  const found = records.filter((record) => `${idOf(record)} ${nameOf(record)}`.toLowerCase().includes(text));
  return (
    <>
      {records.length === 0 && none}
      <div class="row">
        <button type="button" class="btn btn-main" onClick={() => open('')}>
          <Icon name="plus" />
          {add}
        </button>
        <SearchField label={label} value={sought.value} onSearch={(typed) => (sought.value = typed)} />
      </div>
      {found.length > 0 && (
        <RecordTable {...props} records={found.slice(0, most.value)} onChange={(record) => open(idOf(record))} />
      )}
      <MoreButton
        shown={Math.min(most.value, found.length)}
        total={found.length}
        onMore={() => {
          most.value += SHOWN;
        }}
      />
      {form !== null && (
        <PlantForm
          key={form}
          {...props}
          id={form}
          record={records.find((record) => idOf(record) === form) ?? null}
          onClose={close}
          onDone={() => {
            close();
            reload();
          }}
        />
      )}
    </>
  );
}

interface RecordTableProps<T extends object> extends RecordsTabProps<T> {
  readonly records: readonly T[];
  readonly onChange: (record: T) => void;
}

function RecordTable<T extends object>(props: RecordTableProps<T>) {
  const { kind, label, idField, nameOf, columns, act, records, onChange } = props;
  const { admin, people } = words.value;
  const remove = (record: T) => void removeRecord(kind, String(record[idField]), record);
  return (
    <ScrollSection label={label} class="pane flush">
      <table class="table">
        <thead>
          <tr>
            {columns.map(([heading]) => (
              <th key={heading}>{heading}</th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={String(record[idField])}>
              {columns.map(([heading, cell]) => (
                <td key={heading}>{cell(record)}</td>
              ))}
              <td class="right">
                <Act label={people.change} of={nameOf(record)} onPress={() => onChange(record)} />
                {act?.(record) ?? <Act label={admin.remove} of={nameOf(record)} onPress={() => remove(record)} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollSection>
  );
}

interface PlantFormProps<T extends object> extends RecordsTabProps<T> {
  readonly id: string;
  /** Null: a new one. */
  readonly record: T | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function PlantForm<T extends object>(props: PlantFormProps<T>) {
  const { kind, add, idField, nameOf, fieldsOf, kept, more, id, record, onClose, onDone } = props;
  const { admin } = words.value;
  const isNew = record === null;
  return (
    <RecordForm
      title={isNew ? add : admin.changeOf(nameOf(record))}
      path={isNew ? `/plant/${kind}` : `/plant/${kind}/${encodeURIComponent(id)}`}
      method={isNew ? 'POST' : 'PUT'}
      submit={isNew ? add : admin.save}
      fixed={isNew ? {} : { [idField]: id, ...kept?.(record) }}
      fields={[...(isNew ? [{ name: idField, label: admin.reasonId, value: id }] : []), ...fieldsOf(record)]}
      onClose={onClose}
      onDone={onDone}
    >
      {more?.(record)}
    </RecordForm>
  );
}

interface ActProps {
  readonly label: string;
  readonly of: string;
  readonly onPress: () => void;
}

/** An act of a row, named with its record for a reader. */
export function Act({ label, of, onPress }: ActProps) {
  return (
    <button type="button" class="btn btn-plain" onClick={onPress}>
      {label}
      <span class="sr"> {of}</span>
    </button>
  );
}
