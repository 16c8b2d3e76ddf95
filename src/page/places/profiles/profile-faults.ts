import { wrongFields } from '../../../domain/profile/wrong-fields.ts';
import type { Profile } from '../../plant/profiles.ts';
import { words } from '../../words/words.ts';

/** The faults of a profile while a person types: what is wrong, by the path of its field, `features[2].length`. */
export function faultsOf(profile: Profile): ReadonlyMap<string, string> {
  const { wrong, tooLong } = words.value.profiles;
  return new Map(wrongFields(profile).map((path) => [path, wrong[path.slice(path.indexOf('.') + 1)] ?? tooLong]));
}
