import type { AsyncApiDocument, Channel } from './async-api.ts';
import type { Content, JsonSchema, OpenApiDocument, Operation, Parameter } from './open-api-document.ts';

/** Both documents as one page to read: no script, nothing from elsewhere. */
export function documentPage(openApi: OpenApiDocument, asyncApi: AsyncApiDocument): string {
  const tags = openApi.tags.map(({ name }) => name);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>plantgate: interfaces</title>
<link rel="stylesheet" href="/docs.css">
<body>
<nav><strong>plantgate ${text(openApi.info.version)}</strong>
${tags.map((tag) => `<a href="#${text(tag)}">${text(tag)}</a>`).join('\n')}
<a href="#mqtt">MQTT</a>
<a href="/openapi.json">openapi.json</a>
<a href="/asyncapi.json">asyncapi.json</a>
<a href="/docs/samples">firmware samples</a></nav>
<main>
<h1>Interfaces</h1>
<p>Everything under <code>/api/v1</code> wants <code>Authorization: ApiKey &lt;key&gt;</code>. Devices want no key.</p>
${tags.map((tag) => tagSection(tag, openApi)).join('\n')}
<section id="mqtt"><h2>MQTT</h2>
<p>${text(asyncApi.info.description)}</p>
${Object.entries(asyncApi.channels)
  .map(([name, channel]) => channelArticle(channel, asyncApi.operations[name]?.action === 'send'))
  .join('\n')}
</section>
</main>
</body>
</html>
`;
}

export const DOCUMENT_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d8dc, #3c4147); --soft: light-dark(#f3f4f6, #22262b); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 14rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); }
nav a, nav strong { display: block; padding: .25rem 0; }
main { padding: 1.5rem 2rem 6rem; max-width: 60rem; }
article { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 1rem; overflow-x: auto; }
article h3 { margin: 0 0 .25rem; font: 600 1rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
article p { margin: .25rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
caption { text-align: left; font-weight: 600; padding: .5rem 0 .25rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
th { font-weight: 600; }
code { font-family: ui-monospace, monospace; font-size: .92em; background: var(--soft); padding: 0 .25em; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

function tagSection(tag: string, { paths }: OpenApiDocument): string {
  const articles = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => operationArticle(method, path, operation)),
  );
  return `<section id="${text(tag)}"><h2>${text(tag)}</h2>\n${articles.join('\n')}\n</section>`;
}

function operationArticle(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return `<article id="${text(operation.operationId)}"><h3>${text(method.toUpperCase())} ${text(path)}</h3>
<p>${text(summary)}. ${text(description ?? '')}</p>
${parameterTable(parameters)}
${requestBody === undefined ? '' : fieldTable('Body', schemaOf(requestBody.content))}
${responseTable(responses)}
</article>`;
}

function channelArticle({ address, description, messages, parameters }: Channel, isSent: boolean): string {
  const [message] = Object.values(messages);
  const names = Object.entries(parameters).map(([name, parameter]) => [`{${name}}`, text(parameter.description)]);
  return `<article><h3>${text(address)}</h3>
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

/** The fields of an object; of anything else its type. */
function fieldTable(caption: string, schema: JsonSchema): string {
  const { properties, required = [] } = keywords(schema);
  if (properties === undefined) return `<p>${text(caption)}: ${typeText(schema)}</p>`;
  const rows = Object.entries(properties).map(([name, property]) => [
    `<code>${text(name)}</code>${required.includes(name) ? ', required' : ''}`,
    typeText(property),
    text(keywords(property).description ?? ''),
  ]);
  return table(caption, ['Field', 'Type', ''], rows);
}

/** A type in a few words: `integer from 0`, `one of Ready, Complete`, `array of string`, `{ errors }`. */
function typeText(schema: JsonSchema): string {
  const { type, enum: words, anyOf, items, properties, minimum, maximum, format } = keywords(schema);
  if (words !== undefined) return `one of ${words.map((word) => `<code>${text(String(word))}</code>`).join(', ')}`;
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  if (type === 'array') return `array of ${typeText(items ?? {})}`;
  if (properties !== undefined) return `{ ${Object.keys(properties).map(text).join(', ')} }`;
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
  readonly description?: string;
}

/** The keywords that our own schemas use. */
function keywords(schema: JsonSchema): Keywords {
  return schema as Keywords;
}

function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((name) => `<th>${text(name)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<table><caption>${text(caption)}</caption><tr>${head}</tr>\n${body}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function text(plain: string): string {
  return plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
