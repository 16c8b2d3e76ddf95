const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

/** Whether the text is a version of a release: three numbers, as `1.4.0`. */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Below 0 if the first is older, 0 if they are equal. Both are versions. */
export function compareVersions(one: string, other: string): number {
  const others = numbersOf(other);
  const differences = numbersOf(one).map((number, place) => number - (others[place] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
