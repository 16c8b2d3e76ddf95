import type { Bend, Side } from './profile.ts';
import { signOf } from './profile-path.ts';

const USUAL_ANGLE = 90;

/** The side to which a bend turns the sheet, or a hem folds it, seen along the path. */
export function directionOf(bend: Bend): Side {
  if (bend.type !== 'Angle' && bend.type !== 'Radius') return bend.hemDirection;
  return bend.angle < 0 ? 'Negative' : 'Positive';
}

/** The same bend to this side. */
export function turnedTo(bend: Bend, direction: Side): Bend {
  if (bend.type !== 'Angle' && bend.type !== 'Radius') return { ...bend, hemDirection: direction };
  return { ...bend, angle: Math.abs(bend.angle) * signOf(direction) };
}

/** A bend of another type to the same side. It keeps what the type has too; other sizes are `size`. */
export function bendOfType(bend: Bend, type: Bend['type'], size: number): Bend {
  const hemDirection = directionOf(bend);
  const angle = 'angle' in bend ? bend.angle : USUAL_ANGLE * signOf(hemDirection);
  const label = bend.name === undefined ? {} : { name: bend.name };
  switch (type) {
    case 'Angle':
      return { ...label, type, angle, hemHeight: 0 };
    case 'Radius':
      return { ...label, type, angle, radius: size, radiusQuality: 'Medium', hemHeight: 0 };
    case 'OpenHem':
      return { ...label, type, hemDirection, hemHeight: size };
    case 'ClosedHem':
      return { ...label, type, hemDirection, hemHeight: 0 };
    case 'TearDropHem':
      return { ...label, type, hemDirection, hemClampOffset: size, hemHeight: 0 };
  }
}
