import path from 'node:path';

/** Node-RED, which is too large to be among the packages of the project; `.ci/run` installs it there. */
export const NODE_RED = path.resolve(
  import.meta.dirname,
  '../../../node_modules/.cache/node-red/node_modules/node-red',
);
