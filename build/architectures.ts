export type Architecture = 'x64' | 'arm64';

/** Debian's names of the architectures. */
export const DEBIAN_ARCHITECTURE: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The architectures on a command line; this computer's if it names none. Throws for another word. */
export function wantedArchitectures(words: readonly string[]): readonly Architecture[] {
  const named = words.length > 0 ? words : [process.arch];
  return named.map((word) => {
    if (word === 'x64' || word === 'arm64') return word;
    throw new Error(`architecture: found "${word}", expected x64 or arm64`);
  });
}
