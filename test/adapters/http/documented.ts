import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApi } from '../../../src/adapters/http/documents/open-api.ts';
import type { OpenApiDocument, Operation } from '../../../src/adapters/http/documents/open-api-document.ts';
import type { Surface } from '../../../src/adapters/http/surface-router.ts';
import { inOneGo } from '../../../src/domain/sliced-work.ts';

/** The version in the documents of tests. */
export const TEST_VERSION = '0.0.0-test';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The published operations with their possible answers. */
export class Documented {
  readonly #operations: readonly { readonly method: string; readonly path: RegExp; readonly operation: Operation }[];
  readonly #ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  readonly #checks = new Map<object, ValidateFunction>();

  readonly #components: object;

  constructor({ paths, components }: Pick<OpenApiDocument, 'paths' | 'components'>) {
    this.#components = components;
    this.#operations = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
        return { method: method.toUpperCase(), path: new RegExp(`^${pattern}/?$`), operation };
      }),
    );
  }

  /** Throws if an answer is not as published; unpublished operations are not checked. */
  check(method: string, url: string, answer: Answered): void {
    const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/[?#].*$/, '');
    const found = this.#operations.find((one) => one.method === method && one.path.test(path));
    if (found === undefined) return;
    const what = `${method} ${path} answered ${answer.status}`;
    const response = found.operation.responses[String(answer.status)];
    if (response === undefined) throw new Error(`${what}, which is not published: ${answer.text.slice(0, 200)}`);
    if (response.content === undefined) {
      if (answer.text !== '') throw new Error(`${what} with a body, published without: ${answer.text.slice(0, 200)}`);
      return;
    }
    const sent = String(answer.headers['content-type']);
    const types = Object.keys(response.content);
    const type = types.find((one) => sent.startsWith(one));
    const media = response.content[type ?? ''];
    if (media === undefined) throw new Error(`${what} as ${sent}, published as ${types.join(', ')}`);
    if (type === 'application/json') this.#checkBody(what, media.schema, JSON.parse(answer.text));
  }

  #checkBody(what: string, schema: object, body: unknown): void {
    const check = this.#checks.get(schema) ?? this.#ajv.compile({ ...schema, components: this.#components });
    this.#checks.set(schema, check);
    if (!check(body)) throw new Error(`${what}: ${this.#ajv.errorsText(check.errors)}`);
  }
}

const known = new Map<string, Documented>();

/**
 * The operations of these routes. Gateways with the same routes publish the same, and hundreds of tests start a gateway:
 * the document is made, and its schemas are compiled, for the first of them.
 */
export function documentedOf(surfaces: readonly Surface[]): Documented {
  const routes = surfaces.flatMap(({ prefix, routes }) =>
    routes.map(({ method, path, role }) => [prefix, method, path, role]),
  );
  return remembered(JSON.stringify(routes), () => inOneGo(openApi(surfaces, TEST_VERSION, 'whole')));
}

/** The operations of a document that a gateway answered. */
export function documentedIn(text: string): Documented {
  return remembered(text, () => JSON.parse(text));
}

function remembered(key: string, document: () => OpenApiDocument): Documented {
  const found = known.get(key) ?? new Documented(document());
  known.set(key, found);
  return found;
}
