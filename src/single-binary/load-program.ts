import path from 'node:path';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { programFile } from '../runtime/program-files.ts';
import { unpackAddon } from './unpack-addon.ts';

/** The folder that the scripts of the single binary seem to lie in. Stack traces show it. */
const FOLDER = '/plantgate';

interface LoadedModule {
  exports: unknown;
}

type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: LoadedModule,
  filename: string,
  folder: string,
) => void;

const modules = new Map<string, LoadedModule>();

/** Gives what a script or a native addon of the single binary exports. Each is loaded once in a thread. */
function load(name: string): unknown {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module: LoadedModule = { exports: {} };
  modules.set(name, module);
  if (name.endsWith('.node')) process.dlopen(module, unpackAddon(name));
  else run(name, module);
  return module.exports;
}

function run(name: string, module: LoadedModule): void {
  const filename = path.join(FOLDER, name);
  // The build has wrapped the script in a function. It is plain ASCII.
  const script = new Script(programFile(name).toString('latin1'), { filename });
  const moduleFunction: ModuleFunction = script.runInThisContext();
  moduleFunction(module.exports, requireInBinary, module, filename, FOLDER);
}

/** The scripts require each other by `./name.cjs`, and modules of Node. */
function requireInBinary(id: string): unknown {
  if (id.startsWith('./')) return load(id.slice(2));
  const builtin = process.getBuiltinModule(id);
  if (builtin !== undefined) return builtin;
  throw Object.assign(new Error(`the single binary has no module ${id}`), { code: 'MODULE_NOT_FOUND' });
}

load(isMainThread ? 'main.cjs' : (process.argv[2] ?? ''));
