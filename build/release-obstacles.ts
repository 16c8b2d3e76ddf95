import { type Environment, maintainer } from './maintainer.ts';
import { isTrusted, releaseKey } from './release-signing.ts';

/** Everything that the makers still have to do before a release, in words. Empty if it can be made. */
export function releaseObstacles(environment: Environment, trusted?: readonly string[]): readonly string[] {
  const checks = [() => maintainer(environment), () => requireTrustedKey(environment, trusted)];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      return error instanceof Error ? [error.message] : [String(error)];
    }
  });
}

function requireTrustedKey(environment: Environment, trusted?: readonly string[]): void {
  if (isTrusted(releaseKey(environment), trusted)) return;
  throw new Error(
    'PLANTGATE_RELEASE_KEY names a key that src/cli/commands/update/release-keys.ts does not list, so gateways would refuse the update: sign with a key that it lists, or make the first one by "npm run release:key -- FILE" and commit that file',
  );
}
