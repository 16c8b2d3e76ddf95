/** Work on many records that may be put by where it yields, so that other work passes in between. */
export type Work<T> = Generator<void, T, void>;

/** Of records one by one, so many are done at once: microseconds each, far less than a millisecond together. */
const RECORDS_AT_ONCE = 50;

/** Does it in one go. */
export function inOneGo<T>(work: Work<T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

export function* visit<Item>(items: Iterable<Item>, act: (item: Item, place: number) => void): Work<void> {
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
): Work<readonly Made[]> {
  const made: Made[] = [];
  yield* visit(items, (item, place) => made.push(make(item, place)));
  return made;
}
