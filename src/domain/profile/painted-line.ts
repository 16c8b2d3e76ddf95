import type { Side } from './profile.ts';
import { moved, type Point, type Segment, signOf } from './profile-path.ts';

/** A stretch of the line that runs beside the sheet on its painted side. */
export type PaintedStretch =
  | { readonly kind: 'line'; readonly from: Point; readonly to: Point }
  | { readonly kind: 'arc'; readonly from: Point; readonly to: Point; readonly radius: number; readonly sweep: number };

/** Round the outside of a sharper bend the line is an arc, because a point would reach too far out. */
const SHARPEST_POINT = (135 * Math.PI) / 180;

/** The line is at most this many times its distance away from the sheet. */
export const FURTHEST_PAINT = 1 / Math.cos(SHARPEST_POINT / 2);

/**
 * The line at `distance` beside the path, on the left where the side is positive. It is cut back on the inside of
 * bends. On their outside it reaches out to a point, so that its stretches meet, or runs round the bend. It ends within
 * a flat hem, where paint is not visible.
 */
export function paintedLine(segments: readonly Segment[], side: Side, distance: number): readonly PaintedStretch[] {
  const sign = signOf(side);
  return segments.flatMap((segment, place): readonly PaintedStretch[] => {
    if (segment.kind === 'corner') return roundCorner(segment, segments[place - 1], sign, distance);
    if (segment.kind === 'arc') return besideArc(segment, sign, distance);
    const next = segments[place + 2];
    const previous = segments[place - 2];
    const before = cutAt(segments[place - 1], sign, distance, Math.min(lengthOf(segment), lengthOf(previous)));
    const after = cutAt(segments[place + 1], sign, distance, Math.min(lengthOf(segment), lengthOf(next)));
    return besideLine(segment, sign, distance, before, after);
  });
}

type Line = Extract<Segment, { kind: 'line' }>;
type Arc = Extract<Segment, { kind: 'arc' }>;
type Corner = Extract<Segment, { kind: 'corner' }>;

function besideLine(
  line: Line,
  sign: number,
  distance: number,
  before: number,
  after: number,
): readonly PaintedStretch[] {
  const direction = directionOf(line);
  const length = lengthOf(line);
  if (before + after >= length) return [];
  const start = moved(moved(line.from, direction + (sign * Math.PI) / 2, distance), direction, before);
  return [{ kind: 'line', from: start, to: moved(start, direction, length - before - after) }];
}

function besideArc(arc: Arc, sign: number, distance: number): readonly PaintedStretch[] {
  const { centre, from, sweep } = arc;
  const radius = radiusBeside(arc, sign, distance);
  if (radius <= 0) return [];
  const start = Math.atan2(from.y - centre.y, from.x - centre.x);
  return [{ kind: 'arc', from: moved(centre, start, radius), to: moved(centre, start + sweep, radius), radius, sweep }];
}

function radiusBeside({ radius, sweep }: Arc, sign: number, distance: number): number {
  return radius - Math.sign(sweep) * sign * distance;
}

/** The line round the tip of a fold that is too sharp for a point. */
function roundCorner(
  { from: tip, turn }: Corner,
  before: Segment | undefined,
  sign: number,
  distance: number,
): readonly PaintedStretch[] {
  if (before === undefined || !isRound(turn, sign)) return [];
  const start = directionOf(before) + (sign * Math.PI) / 2;
  const [from, to] = [moved(tip, start, distance), moved(tip, start + turn, distance)];
  return [{ kind: 'arc', from, to, radius: distance, sweep: turn }];
}

function isRound(turn: number, sign: number): boolean {
  return turn * sign < 0 && Math.abs(turn) > SHARPEST_POINT;
}

/**
 * The length by which a straight's line is cut back at this bend; below 0 it reaches out. `leg` is the shorter of its
 * straights.
 */
function cutAt(bend: Segment | undefined, sign: number, distance: number, leg: number): number {
  if (bend === undefined || bend.kind === 'line') return 0;
  if (bend.kind === 'corner') {
    if (isRound(bend.turn, sign)) return 0;
    return Math.min(leg, Math.sign(bend.turn) * sign * distance * Math.tan(Math.abs(bend.turn) / 2));
  }
  const radius = radiusBeside(bend, sign, distance);
  if (radius > 0) return 0;
  const isHem = Math.abs(bend.sweep) >= Math.PI;
  return isHem ? leg : Math.min(leg, -radius * Math.tan(Math.abs(bend.sweep) / 2));
}

function directionOf({ from, to }: Segment): number {
  return Math.atan2(to.y - from.y, to.x - from.x);
}

function lengthOf(segment: Segment | undefined): number {
  return segment === undefined ? 0 : Math.hypot(segment.to.x - segment.from.x, segment.to.y - segment.from.y);
}
