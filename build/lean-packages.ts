import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** Parts that prom-client always loads and that this program never calls. */
const UNUSED_PARTS = /^(@opentelemetry\/api|\.\/lib\/(pushgateway|summary|cluster))$/;

/** A type that no vendor has reserved. The gateway serves no other ones. */
const ORDINARY_TYPE = /\/(?!vnd\.|x-|prs\.)/;

interface MediaType {
  readonly extensions?: readonly string[];
}

/** The table of media types, of which a sixth is left: those of files, without those of vendors. */
function ordinaryTypes(file: string): string {
  const table = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, MediaType>>;
  const kept = Object.entries(table).filter(([type, { extensions }]) => extensions && ORDINARY_TYPE.test(type));
  return JSON.stringify(Object.fromEntries(kept));
}

/** Leaves out of packages what each start would load in vain. */
export const leanPackages: Plugin = {
  name: 'lean packages',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: UNUSED_PARTS }, ({ path, importer }) =>
      importer.includes('/prom-client/') ? { path, namespace: 'unused' } : null,
    );
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    onLoad({ filter: /\/mime-db\/db\.json$/ }, ({ path }) => ({ contents: ordinaryTypes(path), loader: 'json' }));
  },
};
