import type { Feature } from './profile.ts';
import { type ProfilePath, profilePath, type Segment } from './profile-path.ts';

/** A direction leads if its length exceeds that of the next one by this factor. */
const LEADING_RATIO = 1.25;
/** A leading direction also has at least this part of the sheet. */
const LEADING_SHARE = 0.3;
/** Directions are compared to this many digits of a degree. */
const DIRECTION_DIGITS = 3;
/** A shape is long if its spread (in variance) along its axis exceeds the spread across it by this factor. */
const LONG_RATIO = 6;
/** A path that ends left of its start by more than this part of its width runs backwards; less is a box that closes. */
const BACKWARDS_RATIO = 0.05;

/**
 * The path turned as people draw it, from left to right: along the direction in which most of the sheet lies if one leads
 * (the web of a channel, the pan of a panel), else along the whole of a long shape (a ridge cap, a corrugated panel). A
 * shape of neither kind (a half-round gutter) lies as its first straight does.
 */
export function levelledPath(features: readonly Feature[]): ProfilePath {
  const degrees = -axisDegrees(profilePath(features, 0).segments);
  const path = profilePath(features, degrees);
  const end = path.segments.at(-1)?.to ?? { x: 0, y: 0 };
  const width = path.bounds.maxX - path.bounds.minX;
  return end.x < -width * BACKWARDS_RATIO ? profilePath(features, degrees + 180) : path;
}

function axisDegrees(segments: readonly Segment[]): number {
  const [first, second] = directions(segments);
  const whole = segments.reduce((sum, segment) => sum + sheetLength(segment), 0);
  const matters = first !== undefined && first.length >= LEADING_SHARE * whole;
  if (matters && first.length >= LEADING_RATIO * (second?.length ?? 0)) return first.degrees;
  const { degrees, ratio } = spread(segments);
  if (ratio >= LONG_RATIO) return degrees;
  return matters ? first.degrees : 0;
}

function sheetLength(segment: Segment): number {
  if (segment.kind === 'arc') return segment.radius * Math.abs(segment.sweep);
  return Math.hypot(segment.to.x - segment.from.x, segment.to.y - segment.from.y);
}

/** The length of straight sheet in each direction, the longest first. Opposite directions count as one, from 0 to below 180. */
function directions(segments: readonly Segment[]): readonly { readonly degrees: number; readonly length: number }[] {
  const lengths = new Map<number, number>();
  for (const segment of segments) {
    if (segment.kind !== 'line') continue;
    const { from, to } = segment;
    const direction = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
    const rounded = Number(direction.toFixed(DIRECTION_DIGITS));
    const degrees = rounded - 180 * Math.floor(rounded / 180);
    lengths.set(degrees, (lengths.get(degrees) ?? 0) + sheetLength(segment));
  }
  return [...lengths].map(([degrees, length]) => ({ degrees, length })).sort((one, other) => other.length - one.length);
}

/** The axis along which the sheet spreads furthest, and how much further than across it. */
function spread(segments: readonly Segment[]): { readonly degrees: number; readonly ratio: number } {
  const sum = { weight: 0, x: 0, y: 0, xx: 0, xy: 0, yy: 0 };
  for (const { from, to } of segments) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    // Simpson's rule is exact for the squares of values that change evenly along a line.
    for (const [{ x, y }, part] of [[from, 1 / 6] as const, [middle, 4 / 6] as const, [to, 1 / 6] as const]) {
      const weight = length * part;
      sum.weight += weight;
      sum.x += weight * x;
      sum.y += weight * y;
      sum.xx += weight * x * x;
      sum.xy += weight * x * y;
      sum.yy += weight * y * y;
    }
  }
  if (sum.weight === 0) return { degrees: 0, ratio: 1 };
  const xx = sum.xx / sum.weight - (sum.x / sum.weight) ** 2;
  const yy = sum.yy / sum.weight - (sum.y / sum.weight) ** 2;
  const xy = sum.xy / sum.weight - (sum.x * sum.y) / sum.weight ** 2;
  const mean = (xx + yy) / 2;
  const deviation = Math.hypot((xx - yy) / 2, xy);
  return {
    degrees: (Math.atan2(2 * xy, xx - yy) * 90) / Math.PI,
    ratio: (mean + deviation) / Math.max(mean - deviation, mean * Number.EPSILON),
  };
}
