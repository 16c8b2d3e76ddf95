import type { SlicedWork } from '../../../domain/sliced-work.ts';
import type { AsyncApiDocument, Channel } from './async-api.ts';
import { htmlPage, table, text } from './html.ts';
import { operationsOf, referencedName } from './named-schemas.ts';
import type { Content, JsonSchema, OpenApiDocument, Operation, Parameter } from './open-api-document.ts';

/** Every route, topic and record, from both documents. */
export function* referencePage(openApi: OpenApiDocument, asyncApi: AsyncApiDocument): SlicedWork<string> {
  const tags = openApi.tags.map(({ name }) => name);
  const sections: string[] = [];
  for (const tag of tags) sections.push(yield* tagSection(tag, openApi));
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
${Object.entries(asyncApi.channels)
  .map(([name, channel]) => channelArticle(name, channel, asyncApi.operations[name]?.action === 'send'))
  .join('\n')}
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
  const { description } = keywords(schema);
  return `<article id="record-${text(name)}"><h3>${anchor(`record-${name}`, name)}</h3>
${description === undefined ? '' : `<p>${text(description)}</p>`}
${fieldTable('', schema)}
</article>`;
}

function* tagSection(tag: string, document: OpenApiDocument): SlicedWork<string> {
  const articles: string[] = [];
  for (const [method, path, operation] of operationsOf(document)) {
    if (!operation.tags.includes(tag)) continue;
    articles.push(operationArticle(method, path, operation));
    yield;
  }
  return `<section id="${text(tag)}"><h2>${text(tag)}</h2>\n${articles.join('\n')}\n</section>`;
}

function operationArticle(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return `<article id="${text(operation.operationId)}"><h3>${anchor(operation.operationId, `${method.toUpperCase()} ${path}`)}</h3>
<p>${text(summary)}. ${text(description ?? '')}</p>
${parameterTable(parameters)}
${requestBody === undefined ? '' : fieldTable('Body', schemaOf(requestBody.content))}
${responseTable(responses)}
</article>`;
}

function channelArticle(id: string, { address, description, messages, parameters }: Channel, isSent: boolean): string {
  const [message] = Object.values(messages);
  const names = Object.entries(parameters).map(([name, parameter]) => [`{${name}}`, text(parameter.description)]);
  return `<article id="topic-${text(id)}"><h3>${anchor(`topic-${id}`, address)}</h3>
<p>${isSent ? 'To the device' : 'From the device'}: ${text(description)}.</p>
${table('Levels', ['Level', 'Meaning'], names)}
${message === undefined ? '' : fieldTable(`Payload, ${message.contentType}`, message.payload)}
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

function responseTable(responses: Operation['responses']): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    return [`<code>${text(status)}</code>`, text(description), content === undefined ? '' : contentText(content)];
  });
  return table('Answers', ['Status', 'When', 'Body'], rows);
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

/** The same without its default. Objects inside have every field with its type. */
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
