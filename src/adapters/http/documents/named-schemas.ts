import type { SlicedWork } from '../../../domain/sliced-work.ts';
import type { JsonSchema, OpenApiDocument, Operation, Paths } from './open-api-document.ts';

/**
 * Moves each schema with a title to `components/schemas` and leaves a reference in its place, so that generated clients
 * have types of these names. Throws where two different schemas have one title.
 */
export function* withNamedSchemas(
  document: Omit<OpenApiDocument, 'components'>,
  components: object,
): SlicedWork<OpenApiDocument> {
  const schemas: Record<string, JsonSchema> = {};
  const done = new Map<object, unknown>();
  const paths: Record<string, unknown> = {};
  for (const [path, operations] of Object.entries(document.paths)) {
    paths[path] = named(operations, schemas, done);
    yield;
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
  return {
    ...document,
    paths: paths as Paths,
    components: { ...components, schemas: sorted } as OpenApiDocument['components'],
  };
}

/** The name of the schema that a reference means; null if this is no reference. */
export function referencedName(schema: JsonSchema): string | null {
  const { $ref } = schema as { readonly $ref?: unknown };
  return typeof $ref === 'string' ? $ref.slice(PREFIX.length) : null;
}

export function referenceTo(name: string): string {
  return `${PREFIX}${name}`;
}

const PREFIX = '#/components/schemas/';

/** `done` has the outcome of each object so far: operations share their schemas, and a schema is walked once. */
function named(value: unknown, schemas: Record<string, JsonSchema>, done: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const before = done.get(value);
  if (before !== undefined) return before;
  const after = Array.isArray(value)
    ? value.map((item) => named(item, schemas, done))
    : namedObject(value, schemas, done);
  done.set(value, after);
  return after;
}

function namedObject(value: object, schemas: Record<string, JsonSchema>, done: Map<object, unknown>): JsonSchema {
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, named(item, schemas, done)]));
  const { title } = copy;
  if (typeof title !== 'string' || !('type' in copy || 'anyOf' in copy)) return copy;
  const { title: _, ...schema } = copy;
  if (title in schemas && JSON.stringify(schemas[title]) !== JSON.stringify(schema)) {
    throw new Error(`two different schemas have the title ${title}`);
  }
  schemas[title] = schema;
  return { $ref: referenceTo(title) };
}

/** Every operation of a document with its method and path. */
export function* operationsOf({
  paths,
}: Pick<OpenApiDocument, 'paths'>): Generator<readonly [string, string, Operation]> {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) yield [method, path, operation];
  }
}
