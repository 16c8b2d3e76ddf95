import type { TSchema } from 'typebox';

/** The parts of an OpenAPI 3.1 document that are used here. */

/** A JSON Schema, as OpenAPI 3.1 and AsyncAPI 3 embed it. */
export type JsonSchema = TSchema | { readonly [keyword: string]: unknown };

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export type ResponseHeaders = Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly headers?: ResponseHeaders; readonly content?: Content }>
  >;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly securitySchemes: object;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}
