import Type from 'typebox';
import { CODE_SETS, LOCATION_CATEGORIES } from '../../../../domain/plant.ts';

/** What the warehouse's routes take and give (interface.md, Resources and their fields). */

/** One of these words. */
export function choice<const Choices extends readonly string[]>(choices: Choices) {
  return Type.Unsafe<Choices[number]>({ type: 'string', enum: [...choices] });
}

export const ERRORS = Type.Object({ errors: Type.Array(Type.String()) });

export const REASON_CODE = Type.Object({ id: Type.String(), codeSet: choice(CODE_SETS), reason: Type.String() });

export const LOCATION = Type.Object({
  code: Type.String(),
  name: Type.String(),
  category: choice(LOCATION_CATEGORIES),
});
