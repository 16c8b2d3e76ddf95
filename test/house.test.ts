import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { mostOwnImports, ownImports } from '../tools/own-imports.ts';
import { brokenSteps, lengthOf, listedWays } from '../tools/ways.ts';

const root = path.resolve(import.meta.dirname, '..');

function sourceFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.ESNext, true);
}

/** The forbidden imports (architecture.md, Folders). `from` and `to` are regular expressions on paths. */
const forbidden = [
  { name: 'domain-imports-domain', from: { path: '^src/domain' }, to: { path: '^src', pathNot: '^src/domain' } },
  {
    name: 'domain-is-pure',
    from: { path: '^src/domain' },
    to: { pathNot: '^(src/domain|node_modules/(temporal-polyfill|temporal-spec|decimal\\.js))' },
  },
  {
    name: 'flows-import-flows-and-domain',
    from: { path: '^src/flows' },
    to: { pathNot: '^src/(flows|domain|runtime|validation)' },
  },
  {
    name: 'adapters-stay-apart',
    from: { path: '^src/adapters/([^/]+)' },
    to: { path: '^src', pathNot: '^src/(adapters/$1|domain|runtime|validation|flows)' },
  },
  {
    name: 'adapters-import-types-of-flows',
    from: { path: '^src/adapters' },
    to: { path: '^src/flows', pathNot: 'ports\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'simulator-stands-alone',
    from: { path: '^src/simulator' },
    to: { path: '^src', pathNot: '^src/(simulator|domain)' },
  },
  {
    name: 'page-imports-types-and-domain',
    from: { path: '^src/page' },
    to: { path: '^src', pathNot: '^src/(page|domain)', dependencyTypesNot: ['type-only'] },
  },
  { name: 'nobody-imports-the-page', from: { path: '^src', pathNot: '^src/page' }, to: { path: '^src/page' } },
  {
    name: 'runtime-and-validation-stand-alone',
    from: { path: '^src/(runtime|validation)' },
    to: { path: '^src', pathNot: '^src/(runtime|validation|domain)' },
  },
  { name: 'config-is-passed-in', from: { path: '^src/(domain|flows|adapters)' }, to: { path: '^src/config' } },
  {
    name: 'store-owns-sqlite',
    from: { path: '^src', pathNot: '^src/adapters/store' },
    to: { path: 'node_modules/better-sqlite3' },
  },
  {
    name: 'stores-own-drizzle',
    from: { path: '^src', pathNot: '^src/(adapters/store|central)' },
    to: { path: 'node_modules/drizzle-orm' },
  },
  {
    name: 'central-owns-postgres',
    from: { path: '^src', pathNot: '^src/central' },
    to: { path: 'node_modules/pg/' },
  },
  {
    name: 'central-is-loaded-by-its-command',
    from: { path: '^src', pathNot: '^src/central' },
    to: { path: '^src/central', dynamic: false, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'broker-owns-aedes',
    from: { path: '^src', pathNot: '^src/adapters/broker' },
    to: { path: 'node_modules/aedes' },
  },
  {
    name: 'http-owns-koa',
    from: { path: '^src', pathNot: '^src/adapters/http' },
    to: { path: 'node_modules/(koa|@koa)' },
  },
  {
    name: 'clients-of-servers-are-loaded-when-needed',
    from: { path: '^src/gateway' },
    to: { path: '^src/adapters/central/http', dynamic: false, dependencyTypesNot: ['type-only'] },
  },
  { name: 'no-cycles', from: {}, to: { circular: true } },
].map((rule) => ({ ...rule, severity: 'error' }) as IForbiddenRuleType);

describe('import law', () => {
  let result: ICruiseResult;

  beforeAll(async () => {
    const { output } = await cruise(
      [path.join(root, 'src')],
      {
        baseDir: root,
        ruleSet: { forbidden },
        validate: true,
        tsPreCompilationDeps: true,
        doNotFollow: { path: 'node_modules' },
        enhancedResolveOptions: {
          extensions: ['.ts', '.tsx', '.js', '.json'],
          conditionNames: ['import', 'node', 'default'],
        },
      },
      { extensions: ['.ts', '.tsx', '.js'] },
    );
    if (typeof output === 'string') throw new Error('dependency-cruiser gave text instead of a result');
    result = output;
  }, 60_000);

  it('reads every module of src', () => {
    const read = result.modules
      .map(({ source }) => source)
      .filter((source) => source.startsWith('src/') && /\.tsx?$/.test(source) && !source.endsWith('.d.ts'));
    expect(read.sort()).toEqual(sourceFiles('src').sort());
  });

  it('is broken nowhere', () => {
    expect(result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });
});

describe('purity', () => {
  const IMPURE =
    /\b(Date\.now|new Date\(\)|Math\.random|performance\.|process\.|setTimeout|setInterval|setImmediate|crypto\.|fetch\(|console\.)/;

  it('of the domain: no file reads a clock, chance or the system', () => {
    const impure = sourceFiles('src/domain').filter((file) => IMPURE.test(readFileSync(path.join(root, file), 'utf8')));
    expect(impure).toEqual([]);
  });
});

describe('ports', () => {
  const read = (folder: string) => sourceFiles(folder).filter((file) => !file.startsWith('src/page'));
  const isTyped = (node: ts.Node) =>
    ts.isSatisfiesExpression(node) || ts.isVariableDeclaration(node) || ts.isFunctionLike(node);
  const namesIn = (node: ts.Node): string[] =>
    ts.isIdentifier(node) ? [node.text] : node.getChildren().flatMap(namesIn);

  /** The interfaces with methods in `…ports.ts`. One that another port extends is a part of that one. */
  function portsOf(files: readonly ts.SourceFile[]): string[] {
    const interfaces = files.flatMap(({ statements }) => statements.filter(ts.isInterfaceDeclaration));
    const parts = new Set(interfaces.flatMap(({ heritageClauses = [] }) => heritageClauses.flatMap(namesIn)));
    const withMethods = interfaces.filter(({ members }) => members.some(ts.isMethodSignature));
    return withMethods.map(({ name }) => name.text).filter((name) => !parts.has(name));
  }

  /** The types that a class says it implements, or as which an object literal is declared. */
  function implementedTypes(node: ts.Node): string[] {
    if (ts.isClassDeclaration(node)) return (node.heritageClauses ?? []).flatMap(namesIn);
    if (!ts.isObjectLiteralExpression(node)) return [];
    const outside = ts.findAncestor(node.parent, (above) => !ts.isParenthesizedExpression(above));
    const isReturned = outside !== undefined && ts.isReturnStatement(outside);
    const owner = isReturned ? ts.findAncestor(outside, ts.isFunctionLike) : outside;
    return owner !== undefined && isTyped(owner) && owner.type !== undefined ? namesIn(owner.type) : [];
  }

  function implementationsIn(file: string): string[] {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      found.push(...implementedTypes(node));
      ts.forEachChild(node, visit);
    };
    visit(parse(file));
    return found;
  }

  it('have a second implementation, or a substitute in a test that names the port as its type', () => {
    const portFiles = read('src').filter((file) => file.endsWith('ports.ts'));
    const ports = portsOf(portFiles.map(parse));
    const named = new RegExp(`\\b(${ports.join('|')})\\b`);
    const isNaming = (file: string) => named.test(readFileSync(path.join(root, file), 'utf8'));
    const inSource = read('src').filter(isNaming).flatMap(implementationsIn);
    const substitutes = new Set(sourceFiles('test').filter(isNaming).flatMap(implementationsIn));
    const implementations = (port: string) => inSource.filter((name) => name === port).length;
    expect(ports.length).toBeGreaterThan(10);
    expect(ports.filter((port) => implementations(port) < 2 && !substitutes.has(port))).toEqual([]);
  });
});

const MAX_FILES_IN_FOLDER = 20;
const MAX_FUNCTION_LINES = 70;
const MAX_FILE_LINES = 400;
const MEDIAN_FILE_LINES = 100;

describe('size', () => {
  const files = sourceFiles('src');

  it('keeps folders small enough to read at a glance', () => {
    const folders = Map.groupBy(files, (file) => path.dirname(file));
    const large = [...folders].filter(([, inside]) => inside.length > MAX_FILES_IN_FOLDER);
    expect(large.map(([folder, inside]) => `${folder} has ${inside.length} files`)).toEqual([]);
  });

  it('keeps functions to at most 70 lines', () => {
    const long: string[] = [];
    for (const file of files) {
      const source = parse(file);
      const visit = (node: ts.Node): void => {
        if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
          const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
          const lines = source.getLineAndCharacterOfPosition(node.end).line - from + 1;
          if (lines > MAX_FUNCTION_LINES) long.push(`${file}:${from + 1} has ${lines} lines`);
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
    }
    expect(long).toEqual([]);
  });

  it('keeps files short', () => {
    const lines = files.map((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length);
    expect(files.filter((_, index) => (lines[index] ?? 0) > MAX_FILE_LINES)).toEqual([]);
    expect([...lines].sort((one, other) => one - other)[Math.floor(lines.length / 2)]).toBeLessThan(MEDIAN_FILE_LINES);
  });
});

describe('shared modules of tests', () => {
  it('register no hook at their top level: workers keep modules, so the hook would run only for the first file', () => {
    const shared = sourceFiles('test').filter((file) => !file.endsWith('.test.ts'));
    const registering = shared.filter((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      return /^(before|after)(Each|All)\(/m.test(text);
    });
    expect(registering).toEqual([]);
  });
});

describe('errors', () => {
  const filesWith = (pattern: RegExp) =>
    sourceFiles('src').filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8')));

  it('what may be refused is a Result: no other type says ok', () => {
    expect(filesWith(/readonly ok: true;/)).toEqual([]);
  });

  it('no value is given or else an error in its place', () => {
    expect(filesWith(/\| CodedError\b(?! \| null)|(?<!null \| )\bCodedError \| (?!null)/)).toEqual([]);
  });
});

/** The longest text of a file and its only user that may stand apart. */
const MAX_JOINT_LINES = 250;
const MAX_FILES_FOR_ONE_USER = 20;
const MAX_OWN_IMPORTS = 11;

/** The most files on each way that docs/architecture.md lists. */
const MAX_FILES_ON_A_WAY = [34, 43, 13];

describe('ways', () => {
  const files = sourceFiles('src');
  const linesOf = (file: string) => readFileSync(path.join(root, file), 'utf8').split('\n').length - 1;
  const imported = ownImports();
  /** They are loaded when they are needed, or in a thread of their own. */
  const loadedLater = new Set([...ownImports(/(?:import|URL)\('(\.[^']+)'/g).values()].flatMap((later) => [...later]));

  it('few files have one user in the same folder that could hold them', () => {
    const usersOf = (file: string) => files.filter((user) => imported.get(user)?.has(file));
    const apart = files.filter((file) => {
      const [user, ...others] = usersOf(file);
      if (user === undefined || others.length > 0 || loadedLater.has(file)) return false;
      return path.dirname(user) === path.dirname(file) && linesOf(user) + linesOf(file) <= MAX_JOINT_LINES;
    });
    expect(apart.slice(MAX_FILES_FOR_ONE_USER)).toEqual([]);
  });

  it('a status, a completed task and an event of the page pass few files, each called by one before it', () => {
    const ways = listedWays();
    expect(ways.flatMap(brokenSteps)).toEqual([]);
    expect(ways.map(lengthOf)).toEqual(MAX_FILES_ON_A_WAY);
  });

  it('nine of ten files import few others', () => {
    expect(mostOwnImports(imported)).toBeLessThanOrEqual(MAX_OWN_IMPORTS);
  });
});
