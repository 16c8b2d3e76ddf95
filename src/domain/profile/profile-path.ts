import { type Bend, type Feature, type Hem, isStraight, type Side, stripLength } from './profile.ts';

/** In the profile's units, y upwards. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The sheet along one feature. Angles are radians; positive ones turn left, seen along the path. */
export type Segment =
  | { readonly kind: 'line'; readonly feature: number; readonly from: Point; readonly to: Point }
  | {
      readonly kind: 'arc';
      readonly feature: number;
      readonly from: Point;
      readonly to: Point;
      readonly centre: Point;
      readonly radius: number;
      readonly sweep: number;
    }
  | {
      readonly kind: 'corner';
      readonly feature: number;
      readonly from: Point;
      readonly to: Point;
      readonly turn: number;
    };

export interface Bounds {
  readonly minX: number;
  readonly minY: number;
  readonly maxX: number;
  readonly maxY: number;
}

/** A cross-section as a path: one segment a feature, in their order. */
export interface ProfilePath {
  readonly segments: readonly Segment[];
  readonly bounds: Bounds;
}

/** A closed hem lies flat and would not be visible. It gets this part of the blank width, or of its shorter leg. */
const CLOSED_GAP_OF_BLANK = 0.016;
const CLOSED_GAP_OF_LEG = 0.4;
/** The angle by which the leg of a teardrop leans back towards the sheet, in degrees. */
const TEARDROP_LEAN = 15;

/**
 * The cross-section with its true bends, from the origin in the direction of `startDegrees`.
 *
 * Each straight keeps its whole length; bends lie between them. An Angle turns on the spot. A Radius is an arc of that
 * radius, tangent to both its neighbours. An OpenHem is a half circle across its height. A TearDropHem is a circle that
 * turns further, so that the leg leans back and its tip ends at the clamp offset from the sheet. (The blank width counts a
 * Radius as its radius, whatever its arc is: that is the library's rule, not a matter of shape.)
 */
export function profilePath(features: readonly Feature[], startDegrees: number): ProfilePath {
  const segments: Segment[] = [];
  const blankWidth = features.reduce((sum, feature) => sum + stripLength(feature), 0);
  const closedGap = blankWidth * CLOSED_GAP_OF_BLANK;
  let at: Point = { x: 0, y: 0 };
  let degrees = startDegrees;
  for (const [place, feature] of features.entries()) {
    if (isStraight(feature)) {
      segments.push(line(place, at, degrees, feature.length));
    } else {
      const shape = bendShape(feature, shorterLeg(features, place), closedGap);
      segments.push(shape.radius === 0 ? corner(place, at, shape.degrees) : arc(place, at, degrees, shape));
      degrees = normal(degrees + shape.degrees);
    }
    at = segments.at(-1)?.to ?? at;
  }
  return { segments, bounds: boundsOf(segments) };
}

interface BendShape {
  readonly degrees: number;
  /** 0 means a bend on the spot. */
  readonly radius: number;
}

function bendShape(bend: Bend, leg: number, closedGap: number): BendShape {
  switch (bend.type) {
    case 'Angle':
      return { degrees: bend.angle, radius: 0 };
    case 'Radius':
      return { degrees: bend.angle, radius: bend.radius };
    default:
      return hemShape(bend, leg, closedGap);
  }
}

function hemShape(hem: Hem, leg: number, closedGap: number): BendShape {
  const turn = signOf(hem.hemDirection);
  switch (hem.type) {
    case 'OpenHem':
      return { degrees: 180 * turn, radius: hem.hemHeight / 2 };
    case 'ClosedHem':
      return { degrees: 180 * turn, radius: Math.min(closedGap, leg * CLOSED_GAP_OF_LEG) / 2 };
    case 'TearDropHem': {
      const lean = radians(TEARDROP_LEAN);
      // The leg starts 1 + cos(lean) radii above the sheet and comes down by its length times sin(lean).
      const radius = (hem.hemClampOffset + leg * Math.sin(lean)) / (1 + Math.cos(lean));
      return { degrees: (180 + TEARDROP_LEAN) * turn, radius };
    }
  }
}

function shorterLeg(features: readonly Feature[], place: number): number {
  const lengths = [features[place - 1], features[place + 1]].map((feature) =>
    feature?.type === 'Straight' ? feature.length : 0,
  );
  return Math.min(...lengths);
}

export function signOf(side: Side): 1 | -1 {
  return side === 'Positive' ? 1 : -1;
}

function line(feature: number, from: Point, degrees: number, length: number): Segment {
  return { kind: 'line', feature, from, to: moved(from, radians(degrees), length) };
}

function corner(feature: number, at: Point, degrees: number): Segment {
  return { kind: 'corner', feature, from: at, to: at, turn: radians(degrees) };
}

function arc(feature: number, from: Point, heading: number, { degrees, radius }: BendShape): Segment {
  const sweep = radians(degrees);
  const towardsCentre = radians(heading) + (Math.sign(sweep) * Math.PI) / 2;
  const centre = moved(from, towardsCentre, radius);
  const to = moved(centre, towardsCentre + Math.PI + sweep, radius);
  return { kind: 'arc', feature, from, to, centre, radius, sweep };
}

export function moved({ x, y }: Point, direction: number, distance: number): Point {
  return { x: x + Math.cos(direction) * distance, y: y + Math.sin(direction) * distance };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** The direction as an angle between -180 and 180: after many turns it would lose digits. */
function normal(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

function boundsOf(segments: readonly Segment[]): Bounds {
  const bounds = { minX: 0, minY: 0, maxX: 0, maxY: 0 };
  const include = ({ x, y }: Point) => {
    bounds.minX = Math.min(bounds.minX, x);
    bounds.minY = Math.min(bounds.minY, y);
    bounds.maxX = Math.max(bounds.maxX, x);
    bounds.maxY = Math.max(bounds.maxY, y);
  };
  for (const segment of segments) {
    include(segment.to);
    if (segment.kind === 'arc') for (const point of arcExtremes(segment)) include(point);
  }
  return bounds;
}

/**
 * The points at which an arc reaches furthest to the right, the top, the left and the bottom, as far as they are on it.
 */
function arcExtremes({ from, centre, radius, sweep }: Extract<Segment, { kind: 'arc' }>): readonly Point[] {
  const start = Math.atan2(from.y - centre.y, from.x - centre.x);
  const quarter = Math.PI / 2;
  return [0, 1, 2, 3]
    .filter((index) => {
      const ahead = (index * quarter - start) * Math.sign(sweep);
      return ahead - 2 * Math.PI * Math.floor(ahead / (2 * Math.PI)) <= Math.abs(sweep);
    })
    .map((index) => moved(centre, index * quarter, radius));
}
