import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first. Without results of an earlier run, the runner goes by size. */
const LONGEST = [
  'end-to-end/gateway-names',
  'end-to-end/write-through',
  'end-to-end/plant-commands',
  'samples/structured-text',
  'samples/real-node-red',
  'binary/cache',
  'page/failing-acts-of-administrators',
  'page/page',
  'page/screens',
  'page/failing-acts',
  'page/office',
  'page/update',
  'page/roles',
].map((name) => path.join(import.meta.dirname, `${name}.test.ts`));

/** Starts the files that take longest first, so that no processor waits for one of them at the end of a project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap((ofProject) => ofProject.toSorted((one, other) => rank(one) - rank(other)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.indexOf(moduleId);
  return place === -1 ? LONGEST.length : place;
}
