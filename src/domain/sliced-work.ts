/** Work on many records. It can be interrupted where it yields. */
export type SlicedWork<T> = Generator<void, T, void>;

/** Records between two yields. They take far less than a millisecond together. */
const RECORDS_AT_ONCE = 50;

/** Does the work without interruption. */
export function inOneGo<T>(work: SlicedWork<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

export function* visit<Item>(items: Iterable<Item>, act: (item: Item, place: number) => void): SlicedWork<void> {
  let place = 0;
  for (const item of items) {
    act(item, place);
    place += 1;
    if (place % RECORDS_AT_ONCE === 0) yield;
  }
}

export function* mapped<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item, place: number) => Made,
): SlicedWork<readonly Made[]> {
  const made: Made[] = [];
  yield* visit(items, (item, place) => made.push(make(item, place)));
  return made;
}
