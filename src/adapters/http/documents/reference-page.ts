import { htmlText as text } from '../../../domain/html-text.ts';
import type { SlicedWork } from '../../../domain/sliced-work.ts';
import type { AsyncApiDocument, Channel } from './async-api.ts';
import { htmlPage, table } from './html.ts';
import { operationsOf, referencedName, referenceTo } from './named-schemas.ts';
import type { Content, JsonSchema, OpenApiDocument, Operation, Parameter } from './open-api-document.ts';

/** Every route, topic and record, from both documents. */
export function* referencePage(openApi: OpenApiDocument, asyncApi: AsyncApiDocument): SlicedWork<string> {
  const tags = openApi.tags.map(({ name }) => name);
  const faults = commonFaults(openApi);
  const sections: string[] = [];
  for (const tag of tags) sections.push(yield* tagSection(tag, openApi, faults));
  const records: string[] = [];
  for (const [name, schema] of Object.entries(openApi.components.schemas)) {
    records.push(recordArticle(name, schema));
    yield;
  }
  return htmlPage({
    title: 'plantgate: reference',
    navigation: `<strong>plantgate ${text(openApi.info.version)}</strong>
<a href="/docs">How to connect</a>
${tags.map((tag) => `<a href="#${text(tag)}">${text(tag)}</a>`).join('\n')}
<a href="#mqtt">MQTT</a>
<a href="#faults">Faults</a>
<a href="#records">Records</a>
<a href="/openapi.json">openapi.json</a>
<a href="/openapi-local.json">openapi-local.json</a>
<a href="/asyncapi.json">asyncapi.json</a>`,
    main: `<h1>Reference</h1>
<p>Everything under <code>/api/v1</code> and <code>/api/local</code> asks for <code>Authorization: ApiKey &lt;key&gt;</code>.
Devices send without a key; machines that fetch profiles show their serial number and registration key. This page is made
from the gateway's own checks.</p>
${sections.join('\n')}
<section id="mqtt"><h2>MQTT</h2>
<p>${text(asyncApi.info.description)}</p>
${levelTable(asyncApi)}
${Object.entries(asyncApi.channels)
  .map(([name, channel]) => channelArticle(name, channel, asyncApi.operations[name]?.action === 'send', openApi))
  .join('\n')}
</section>
<section id="faults"><h2>Faults</h2>
${faultTable(faults)}
</section>
<section id="records"><h2>Records</h2>
${records.join('\n')}
</section>`,
  });
}

/** A heading that links to itself, so that its address can be copied. */
function anchor(id: string, heading: string): string {
  return `<a href="#${text(id)}">${text(heading)}</a>`;
}

function recordArticle(name: string, schema: JsonSchema): string {
  const { description, properties } = keywords(schema);
  return `<article id="record-${text(name)}"><h3>${anchor(`record-${name}`, name)}</h3>
${description === undefined ? '' : `<p>${text(description)}</p>`}
${description !== undefined && Object.keys(properties ?? {}).length === 0 ? '' : fieldTable('', schema)}
</article>`;
}

/** The anchors of the faults that several operations answer with, by their text. */
type Faults = ReadonlyMap<string, string>;

/** Faults with one text are explained in one table, and each operation refers to it. */
function commonFaults(document: OpenApiDocument): Faults {
  const counts = new Map<string, number>();
  for (const [, , { responses }] of operationsOf(document)) {
    for (const [status, { description }] of Object.entries(responses)) {
      const fault = faultText(status, description);
      if (isFault(status)) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
  }
  const common = [...counts].filter(([, count]) => count > 1).map(([fault]) => fault);
  return new Map(common.sort().map((fault, place) => [fault, `fault-${place + 1}`]));
}

function isFault(status: string): boolean {
  return Number(status) >= 400;
}

function faultText(status: string, description: string): string {
  return `${status} ${description}`;
}

function faultTable(faults: Faults): string {
  const rows = [...faults].map(([fault, id]) => [`<code id="${id}">${fault.slice(0, 3)}</code>`, text(fault.slice(4))]);
  return table('', ['Status', 'When'], rows);
}

function* tagSection(tag: string, document: OpenApiDocument, faults: Faults): SlicedWork<string> {
  const articles: string[] = [];
  for (const [method, path, operation] of operationsOf(document)) {
    if (!operation.tags.includes(tag)) continue;
    articles.push(operationArticle(method, path, operation, faults));
    yield;
  }
  return `<section id="${text(tag)}"><h2>${text(tag)}</h2>\n${articles.join('\n')}\n</section>`;
}

function operationArticle(method: string, path: string, operation: Operation, faults: Faults): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return `<article id="${text(operation.operationId)}"><h3>${anchor(operation.operationId, `${method.toUpperCase()} ${path}`)}</h3>
<p>${text(summary)}. ${text(description ?? '')}</p>
${parameterTable(parameters)}
${requestBody === undefined ? '' : fieldTable('Body', schemaOf(requestBody.content))}
${responseTable(responses, faults)}
</article>`;
}

/** The variable levels of all topics. */
function levelTable({ channels }: AsyncApiDocument): string {
  const levels = new Map(Object.values(channels).flatMap(({ parameters }) => Object.entries(parameters)));
  const rows = [...levels].map(([name, { description }]) => [`<code>{${text(name)}}</code>`, text(description)]);
  return table('Levels', ['Level', 'Meaning'], rows);
}

function channelArticle(
  id: string,
  { address, description, messages }: Channel,
  isSent: boolean,
  { components }: OpenApiDocument,
): string {
  const [message] = Object.values(messages);
  const record = Object.keys(components.schemas).find((name) => name === keywords(message?.payload ?? {}).title);
  const payload = record === undefined ? message?.payload : { $ref: referenceTo(record) };
  return `<article id="topic-${text(id)}"><h3>${anchor(`topic-${id}`, address)}</h3>
<p>${isSent ? 'To the device' : 'From the device'}: ${text(description)}.</p>
${message === undefined || payload === undefined ? '' : fieldTable(`Payload, ${message.contentType}:`, payload)}
</article>`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, schema }) => [
    `<code>${text(name)}</code>`,
    `${place}${required ? ', required' : ''}`,
    typeText(schema),
  ]);
  return table('Parameters', ['Name', 'Where', 'Type'], rows);
}

/** The operation's own answers, and references to the faults that other operations have too. */
function responseTable(responses: Operation['responses'], faults: Faults): string {
  const own: string[][] = [];
  const references = new Map<string, string[]>();
  for (const [status, { description, content }] of Object.entries(responses)) {
    const body = content === undefined ? '' : contentText(content);
    const id = faults.get(faultText(status, description));
    if (id === undefined) own.push([`<code>${text(status)}</code>`, text(description), body]);
    else references.set(body, [...(references.get(body) ?? []), `<a href="#${id}">${text(status)}</a>`]);
  }
  const shared = [...references].map(([body, statuses]) => `<p>Faults: ${statuses.join(', ')}; ${body}</p>`);
  return [table('Answers', ['Status', 'When', 'Body'], own), ...shared].join('\n');
}

function contentText(content: Content): string {
  const [type = ''] = Object.keys(content);
  return `${text(type)}: ${typeText(schemaOf(content))}`;
}

function schemaOf(content: Content): JsonSchema {
  return Object.values(content)[0]?.schema ?? {};
}

/** The fields of an object, or the type of any other schema. */
function fieldTable(caption: string, schema: JsonSchema): string {
  const { properties, required = [] } = keywords(schema);
  if (properties === undefined) return `<p>${text(caption)} ${typeText(schema)}</p>`;
  const { description } = keywords(schema);
  if (Object.keys(properties).length === 0 && description !== undefined)
    return `<p>${text(caption)}: ${text(description)}</p>`;
  const rows = Object.entries(properties).map(([name, property]) => [
    `<code>${text(name)}</code>${required.includes(name) ? ', required' : ''}`,
    typeText(property),
    text(keywords(property).description ?? ''),
  ]);
  return table(caption, ['Field', 'Type', ''], rows);
}

/** A type in a few words: `integer from 0`, `one of Ready, Complete`, `array of string`, `{ errors: array of string }`. */
function typeText(schema: JsonSchema): string {
  const name = referencedName(schema);
  if (name !== null) return `<a href="#record-${text(name)}">${text(name)}</a>`;
  const { default: usual } = keywords(schema);
  return `${bareTypeText(schema)}${usual === undefined ? '' : `; ${text(JSON.stringify(usual))} where it is left out`}`;
}

/** A type without its default. Objects inside have every field with its type. */
function bareTypeText(schema: JsonSchema): string {
  const { type, enum: words, anyOf, items, properties, minimum, maximum, format } = keywords(schema);
  if (words !== undefined) return `one of ${words.map((word) => `<code>${text(String(word))}</code>`).join(', ')}`;
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  if (type === 'array') return `array of ${typeText(items ?? {})}`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([field, of]) => `<code>${text(field)}</code>: ${typeText(of)}`);
    return `{ ${fields.join(', ')} }`;
  }
  const bounds = [minimum === undefined ? '' : ` from ${minimum}`, maximum === undefined ? '' : ` to ${maximum}`];
  return `${text(String(type ?? 'anything'))}${format === undefined ? '' : ` (${text(format)})`}${bounds.join('')}`;
}

interface Keywords {
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly default?: unknown;
  readonly description?: string;
}

/** The keywords that our own schemas use. */
function keywords(schema: JsonSchema): Keywords {
  return schema as Keywords;
}
