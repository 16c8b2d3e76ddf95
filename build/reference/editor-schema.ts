/** The part of JSON Schema that the schemas in `src/config` use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly byteSize?: unknown;
}

/**
 * A JSON Schema for editors: meanings as descriptions, keys with a default not required, sizes in a form that editors
 * know.
 */
export function editorSchema(title: string, schema: Schema, meanings: Readonly<Record<string, string>>): object {
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title };
  return { ...head, ...converted(schema, '', meanings) };
}

function converted(schema: Schema, place: string, meanings: Readonly<Record<string, string>>): Schema {
  const { byteSize, properties, required, items, description, default: fallback, ...rest } = schema;
  const words = [meanings[place], description && `Value: ${description}.`].filter((text) => text !== undefined);
  const isKnown = fallback !== undefined && fallback !== '';
  return {
    ...rest,
    ...(words.length > 0 && { description: words.join(' ') }),
    ...(byteSize !== undefined && { type: ['integer', 'string'] }),
    ...(isKnown && { default: fallback }),
    ...(items !== undefined && { items: converted(items, itemPlace(place, meanings), meanings) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [
          name,
          converted(value, place === '' ? name : `${place}.${name}`, meanings),
        ]),
      ),
    }),
    ...(required !== undefined && { required: required.filter((name) => properties?.[name]?.default === undefined) }),
  };
}

/** `shifts.shifts[]` if meanings are written so, else the records of a plant file: `machines`. */
function itemPlace(place: string, meanings: Readonly<Record<string, string>>): string {
  return Object.keys(meanings).some((name) => name.startsWith(`${place}[]`)) ? `${place}[]` : place;
}
