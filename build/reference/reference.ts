import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_SCHEMA } from '../../src/config/config-schema.ts';
import { PLANT_SCHEMAS } from '../../src/config/plant-file/plant-schema.ts';
import { PLANT_CODECS } from '../../src/domain/plant/plant-codecs.ts';
import { CONFIGURATION_MEANINGS } from './configuration-meanings.ts';
import { editorSchema, type Schema } from './editor-schema.ts';
import { PLANT_MEANINGS } from './plant-meanings.ts';

/** Defaults that depend on the computer are empty here, and described in words. */
const CONFIGURATION: Schema = asJson(CONFIG_SCHEMA);

/** A plant file: a list of records for each kind. */
const PLANT: Schema = asJson({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(
      Object.entries(PLANT_SCHEMAS).map(([kind, items]) => [
        kind,
        { type: 'array', items: withDefaults(kind, asJson(items)) },
      ]),
    ),
    orders: { type: 'array', items: { type: 'object' } },
  },
});

function asJson(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema));
}

/** The defaults of a record come from the domain: they are what it makes of an entry without any key. */
function withDefaults(kind: string, schema: Schema): Schema {
  const codecs: Readonly<Record<string, { record(entry: never, existing: undefined): object }>> = PLANT_CODECS;
  const made = new Map<string, unknown>(Object.entries(codecs[kind]?.record({} as never, undefined) ?? {}));
  const properties = Object.entries(schema.properties ?? {}).map(([name, value]) => {
    const fallback = made.get(name);
    return [name, fallback === undefined ? value : { ...value, default: fallback }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

const PLANT_WORDS = {
  ...PLANT_MEANINGS,
  orders: 'Orders, as `/api/v1/orders` takes them. [interface.md](interface.md) has their fields.',
};

interface Key {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Every key of a schema in its order, a section before its own keys. */
function keysOf(schema: Schema, prefix = ''): readonly Key[] {
  const { properties = {}, required = [], items } = schema;
  if (items !== undefined) return keysOf(items, prefix === '' ? '' : `${prefix}[]`);
  return Object.entries(properties).flatMap(([name, value]) => {
    const place = prefix === '' ? name : `${prefix}.${name}`;
    const isRequired = required.includes(name) && value.default === undefined;
    return [{ path: place, schema: value, isRequired }, ...keysOf(value, place)];
  });
}

/** The keys of a plant file are named without the index: `machines.name`. */
const plantKeys = () => keysOf(PLANT).map((key) => ({ ...key, path: key.path.replaceAll('[]', '') }));

/** Every key of the configuration, as `http.port`. */
export function configurationKeys(): readonly string[] {
  return keysOf(CONFIGURATION).map(({ path: name }) => name);
}

/** Keys without a written meaning, and meanings of keys that do not exist. */
export function mismatches(): readonly string[] {
  const check = (keys: readonly Key[], meanings: Readonly<Record<string, string>>) => {
    const known = new Set(keys.map(({ path: name }) => name));
    return [
      ...[...known].filter((name) => meanings[name] === undefined),
      ...Object.keys(meanings).filter((name) => !known.has(name)),
    ];
  };
  return [...check(keysOf(CONFIGURATION), CONFIGURATION_MEANINGS), ...check(plantKeys(), PLANT_WORDS)];
}

function rowOf({ path: name, schema, isRequired }: Key, meanings: Readonly<Record<string, string>>): string {
  const isSection = schema.properties !== undefined;
  const fallback = isRequired ? '*required*' : isSection ? '' : defaultOf(schema);
  const rule = isSection ? '' : (schema.description ?? '');
  return `| \`${name}\` | ${rule} | ${fallback} | ${meanings[name] ?? ''} |`.replaceAll(/ {2,}/g, ' ');
}

function defaultOf({ default: value }: Schema): string {
  return value === undefined || value === '' ? '' : `\`${JSON.stringify(value)}\``;
}

const TABLE_HEAD = '| key | value | default | meaning |\n| --- | --- | --- | --- |';

function configurationDocument(): string {
  const rows = keysOf(CONFIGURATION).map((key) => rowOf(key, CONFIGURATION_MEANINGS));
  return `${CONFIGURATION_OPENING}\n\n${TABLE_HEAD}\n${rows.join('\n')}\n`;
}

function plantDocument(): string {
  const keys = plantKeys();
  const parts = keys
    .filter(({ path: name }) => !name.includes('.'))
    .map(({ path: kind }) => {
      const rows = keys.filter(({ path: name }) => name.startsWith(`${kind}.`));
      const table = rows.map((key) => rowOf({ ...key, path: key.path.slice(kind.length + 1) }, withoutKind(kind)));
      const heading = `## \`${kind}\`\n\n${PLANT_WORDS[kind as keyof typeof PLANT_WORDS]}`;
      return table.length === 0 ? heading : `${heading}\n\n${TABLE_HEAD}\n${table.join('\n')}`;
    });
  return `${PLANT_OPENING}\n\n${parts.join('\n\n')}\n`;
}

function withoutKind(kind: string): Readonly<Record<string, string>> {
  const own = Object.entries(PLANT_WORDS).filter(([name]) => name.startsWith(`${kind}.`));
  return Object.fromEntries(own.map(([name, meaning]) => [name.slice(kind.length + 1), meaning]));
}

const GENERATED =
  '`npm run reference` makes this document from the schemas in `src/config`; a test fails when it is out of date.';

function editorLine(schema: string): string {
  return `An editor with a YAML language server checks the file and completes its keys if its first line is:

\`\`\`yaml
# yaml-language-server: $schema=/usr/share/doc/plantgate/docs/${schema}
\`\`\`

The Debian package brings the schema there. On any other computer name that of a running gateway,
\`http://HOST:8080/docs/manual/${schema}\`, or a copy of it. A path without a slash in front starts at the directory of the
file.`;
}

const CONFIGURATION_OPENING = `# Configuration

The gateway reads \`./plantgate.yaml\`, else \`/etc/plantgate/plantgate.yaml\`, else it uses the defaults. An unknown key is
an error; \`plantgate check\` names every fault with file, line, path, value and rule. Each key can be set by an environment
variable: \`PLANTGATE_HTTP_PORT\` sets \`http.port\`, and \`PLANTGATE_MQTT_MAX_PACKET_BYTES\` sets \`mqtt.maxPacketBytes\`.
The environment counts before the file, the file before the settings chosen at the page, and these before the defaults.
A command that reads \`/etc/plantgate/plantgate.yaml\` also takes the variables that the unit of the service gives by \`Environment=\` or by
\`EnvironmentFile=\`, where each stands on one line; its own come first.
Relative paths in the file start at its directory, those in the environment at the working directory. Changes take effect
at the next start; \`systemctl reload plantgate\` takes certificates and the log level at once.

${editorLine('plantgate.schema.json')}

${GENERATED}`;

const PLANT_OPENING = `# Plant file

The plant file names the machines, parts, coils and people of a plant. The key \`plant\` of the configuration names it; the
gateway applies it at the start and whenever it changes, all or nothing. At the start, machines that the gateway knows are
answered at once, by what is stored. What the file adds or changes counts once it is applied. The log says \`ready\`, and
systemd hears it, after that, but after two seconds at the latest. \`/readyz\` says that machines are served.

\`plantgate check\` says what is wrong with a plant file, \`plantgate apply FILE\` loads one into the running gateway, and \`plantgate export\` prints the present plant as one.

A plant file adds and updates the records that it names. A key that is left out gets its default in a new record, and stays
as it is in a record that exists. Live state, such as the state of a task or the location of a coil, is never reset. An empty
value (\`null\`) means that a value is not known, except for \`badge\` and \`pin\`, where it removes them.

With a central server (\`upstream\`), tasks, coils, reason codes, locations, catalogs and profiles come from there, and the
file's own are ignored after the first reading; an order of the file is shown until then. Machines, parts and downtime reasons always come from the plant file.
A [plan of a group](central-server.md) that was applied is the exception: its records stay as the plan says.

${editorLine('plant.schema.json')}

${GENERATED}`;

/** The documents and the schemas for editors, by their path in the repository. */
export function referenceFiles(): Readonly<Record<string, string>> {
  const schema = (title: string, source: Schema, meanings: Readonly<Record<string, string>>) =>
    `${JSON.stringify(editorSchema(title, source, meanings), null, 2)}\n`;
  return {
    'docs/configuration.md': configurationDocument(),
    'docs/plant-file.md': plantDocument(),
    'docs/plantgate.schema.json': schema('plantgate.yaml', CONFIGURATION, CONFIGURATION_MEANINGS),
    'docs/plant.schema.json': schema('plant.yaml', PLANT, PLANT_WORDS),
  };
}

if (import.meta.filename === process.argv[1]) {
  const root = path.resolve(import.meta.dirname, '../..');
  for (const [file, text] of Object.entries(referenceFiles())) writeFileSync(path.join(root, file), text);
}
