/**
 * The public keys of the makers of releases, as PEM without its first and last line. `npm run release:key FILE` makes a
 * pair and adds the public one here. Keys for development are never here: they go to `update-keys.pem`.
 */
export const RELEASE_KEYS: readonly string[] = [];
