import { Marked } from 'marked';
import { htmlText as text } from '../../../domain/html-text.ts';
import type { SlicedWork } from '../../../domain/sliced-work.ts';
import type { MqttAccess } from '../../../flows/local-api/system-ports.ts';
import { htmlPage, table } from './html.ts';

/** A machine of this gateway, or an invented one if none is set up. */
export interface GuideMachine {
  readonly machineId: string;
  readonly topicRoot: string;
}

/** Facts of this gateway that make the guide's lines work as printed. */
export interface GuideFacts {
  /** The address by which the reader came: `http://gateway:8080`. */
  readonly origin: string;
  /** The host alone, for MQTT. */
  readonly host: string;
  readonly mqttPort: number | null;
  readonly mqttTlsPort: number | null;
  readonly mqttAccess: MqttAccess;
  /** The first machines whose names may be shown to every reader, and the number of all. */
  readonly machines: readonly GuideMachine[];
  readonly machineCount: number;
  /** The machine of the examples. */
  readonly example: GuideMachine;
  readonly version: string;
}

/** A heading with its anchor: `Three ways {#three-ways}`. */
const HEADING = /^(.*) \{#([\w-]+)\}$/;

const markdown = new Marked({
  renderer: {
    heading({ text: heading, depth }) {
      const [, title = heading, id] = HEADING.exec(heading) ?? [];
      return `<h${depth}${id === undefined ? '' : ` id="${id}"`}>${text(title)}</h${depth}>\n`;
    },
  },
});

/** The page for a reader of one gateway. */
export type Guide = (facts: GuideFacts) => string;

/**
 * The guide to connecting a machine, an ERP or a forklift. `source` is docs/connect.md, which is rendered once, heading
 * by heading: as a whole it would hold up the machines for 30 ms.
 */
export function* guideOf(source: string): SlicedWork<Guide> {
  let html = '';
  for (const part of source.split(/^(?=##)/m)) {
    html += markdown.parse(part, { async: false });
    yield;
  }
  const [title = '', ...chapters] = html.split(/(?=<h2)/);
  const main = title + chapters.map((chapter) => `<section>${withArticles(chapter)}</section>`).join('\n');
  const page = htmlPage({ title: 'plantgate: how to connect', navigation: navigationOf(html), main });
  return (facts) => {
    const values = valuesOf(facts);
    return page
      .replace('<p>{{machines}}</p>', () => machinesOf(facts))
      .replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  };
}

function navigationOf(html: string): string {
  const places = [...html.matchAll(/<h2 id="([\w-]+)">(.*?)<\/h2>/g)];
  return `<strong>plantgate {{version}}</strong>
<a href="/">Back to the page</a>
${places.map(([, id, name]) => `<a href="#${id}">${name}</a>`).join('\n')}
<a href="/docs/samples">Samples</a>
<a href="/docs/reference">Reference</a>
<a href="/docs/manual">Manual</a>
<a href="/openapi.json">openapi.json</a>
<a href="/asyncapi.json">asyncapi.json</a>`;
}

/** A call and its answer are one article, which the search shows or hides as a whole. */
function withArticles(chapter: string): string {
  return chapter.replace(/<p>[^<]*: \d{3}(?: without a body)?<\/p>\n<pre>.*?<\/pre>/gs, '<article>$&</article>');
}

/** The HTML for each name in double braces. */
function valuesOf(facts: GuideFacts): Readonly<Record<string, string>> {
  const { origin, host, mqttPort, mqttTlsPort, example, version } = facts;
  const address = (port: number) => `<code>${text(host)}</code>, port <code>${port}</code>`;
  return {
    version: text(version),
    origin: text(origin),
    host: text(host),
    mqttPort: String(mqttPort ?? 1883),
    mqttAddress: mqttPort === null ? 'not opened at this server' : address(mqttPort),
    mqttTlsAddress: mqttTlsPort === null ? 'not set up' : address(mqttTlsPort),
    machineId: text(example.machineId),
    topicRoot: text(example.topicRoot),
    mqttLogin: loginOf(facts),
  };
}

/** The options that the lines to copy need as well, because the broker does not let every client in. */
function loginOf({ mqttAccess, example: { machineId } }: GuideFacts): string {
  if (mqttAccess === 'open') return '';
  const login = `-i ${machineId}${mqttAccess === 'password' ? ` -u ${machineId} -P PASSWORD` : ''}`;
  return `<strong>This gateway lets only its machines and MQTT accounts connect.</strong> Add <code>${text(login)}</code> to <code>mosquitto_pub</code>, and <code>-u ACCOUNT -P PASSWORD</code> to <code>mosquitto_sub</code>: two clients with one client id cut each other off.`;
}

function machinesOf({ machines, machineCount }: GuideFacts): string {
  const rows = machines.map(({ machineId, topicRoot }) => [
    `<code>${text(machineId)}</code>`,
    `<code>${text(topicRoot)}</code>`,
  ]);
  const left = machineCount - machines.length;
  return `${table('Machines that are set up', ['machineId', 'Topic root'], rows)}${left > 0 ? `<p>And ${left} more.</p>` : ''}`;
}
