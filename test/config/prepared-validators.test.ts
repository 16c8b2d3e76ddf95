import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { preparedValidators } from '../../build/prepare-validators.ts';
import { CONFIG_SCHEMA } from '../../src/config/config-schema.ts';
import { PLANT_SCHEMAS } from '../../src/config/plant-file/plant-schema.ts';
import { schemaCompiler, schemaFingerprint, type Validator } from '../../src/validation/schema-compiler.ts';
import { anyPlant } from '../any-plant.ts';
import { PROGRAM_FILE } from '../bundle-program.ts';
import { Program } from '../end-to-end/program.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The table as the bundled program has it. */
function tableOf(source: string): ReadonlyMap<string, Validator> {
  const module = { exports: { PREPARED_VALIDATORS: new Map<string, Validator>() } };
  new Function('require', 'exports', source)(createRequire(path.join(root, 'package.json')), module.exports);
  return module.exports.PREPARED_VALIDATORS;
}

const prepared = tableOf(preparedValidators());
const compiler = schemaCompiler();

function outcome(validate: Validator | undefined, value: unknown) {
  const filled = structuredClone(value);
  const isSound = validate?.(filled);
  const errors = validate?.errors?.map(({ instancePath, keyword, params, data, parentSchema }) => {
    return { instancePath, keyword, params, data, parentSchema };
  });
  return { isSound, filled, errors };
}

const CONFIG = {
  gatewayId: 'gate-1',
  dataDir: '/data',
  http: { port: 8080, allowedHosts: ['gate.example'], tls: { cert: '/c', key: '/k' } },
  mqtt: { maxPacketBytes: '256KiB', access: 'known', tls: { cert: '/c', key: '/k', ca: '/ca' } },
  deviceHttp: { port: 8081 },
  shifts: { timeZone: 'UTC', shifts: [{ name: 'Day', start: '06:00' }] },
  upstream: { url: 'http://central', apiKey: 'k'.repeat(20), pollSeconds: 2 },
  storage: { maxQueueBytes: '2GB', backups: { directory: '/b', at: '03:00' } },
  log: { level: 'warn' },
};

/** The value with another one at a random place. */
function damaged(value: unknown): fc.Arbitrary<unknown> {
  const other = fc.anything({ withNullPrototype: false, maxDepth: 1 });
  if (typeof value !== 'object' || value === null) return other;
  const inner = Object.entries(value).map(([key, part]) => damaged(part).map((found) => ({ ...value, [key]: found })));
  const unknown = other.map((found) => ({ ...value, unknown: found }));
  return fc.oneof(...inner, unknown, other);
}

it.each([['the configuration', CONFIG_SCHEMA] as const, ...Object.entries(PLANT_SCHEMAS)])(
  'contract.md, Configuration: the validator of %s that is made for the binary judges like the one that is compiled',
  (_, schema) => {
    const [made, compiled] = [prepared.get(schemaFingerprint(schema)), compiler.compile(schema)];
    expect(made).toBeTypeOf('function');
    for (const value of [{}, null, [], 'text', CONFIG, { ...CONFIG, unknown: 1 }])
      expect(outcome(made, value)).toEqual(outcome(compiled, value));
  },
);

it('contract.md, Configuration: both judge damaged configurations alike', () => {
  const [made, compiled] = [prepared.get(schemaFingerprint(CONFIG_SCHEMA)), compiler.compile(CONFIG_SCHEMA)];
  expect(outcome(made, CONFIG).isSound).toBe(true);
  fc.assert(
    fc.property(damaged(CONFIG), (value) => {
      expect(outcome(made, value)).toEqual(outcome(compiled, value));
    }),
  );
});

it('contract.md, Plant file: both judge the records of any plant alike, sound or damaged', () => {
  const schemas = Object.entries(PLANT_SCHEMAS).map(([kind, schema]) => {
    return [kind, { made: prepared.get(schemaFingerprint(schema)), compiled: compiler.compile(schema) }] as const;
  });
  const judges = new Map(schemas);
  const record = anyPlant
    .chain((plant) => {
      const lists = Object.entries(plant).filter(([kind]) => judges.has(kind));
      return fc.constantFrom(...lists.flatMap(([kind, list]) => list.map((one: unknown) => ({ kind, one }))));
    })
    .chain(({ kind, one }) => fc.oneof(fc.constant(one), damaged(one)).map((value) => ({ kind, value })));
  fc.assert(
    fc.property(record, ({ kind, value }) => {
      const judge = judges.get(kind);
      expect(outcome(judge?.made, value)).toEqual(outcome(judge?.compiled, value));
    }),
  );
});

it('the bundled program reads configuration and plant file without compiling a validator', () => {
  const dir = Program.prepare();
  const words = ['--disallow-code-generation-from-strings', PROGRAM_FILE, 'check', '--config', `${dir}/plantgate.yaml`];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: '' });
});
