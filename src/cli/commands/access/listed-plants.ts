import { at, listOf } from '../../answer-values.ts';

/** A key or a person as a command lists them: without plants its role decides (D-108). */
interface Listed {
  readonly plants?: readonly string[];
}

/** The plants in the answer of the gateway. */
export function plantsAt(record: unknown): Listed {
  const plants = listOf(at(record, 'plants')).map(String);
  return plants.length === 0 ? {} : { plants };
}

/** The column of the plants, where a listed record names some. */
export function plantsHeading(listed: readonly Listed[]): readonly string[] {
  return listed.some(({ plants }) => plants !== undefined) ? ['PLANTS'] : [];
}

export function plantsCell({ plants }: Listed): readonly string[] {
  return plants === undefined ? [] : [plants.join(', ')];
}
