import { FURTHEST_PAINT, type PaintedStretch, paintedLine } from './painted-line.ts';
import type { Feature, Side } from './profile.ts';
import { type Bounds, type Point, type ProfilePath, profilePath, type Segment } from './profile-path.ts';

/** The frame that a cross-section is fitted into, in pixels or any other unit of the drawing. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

export const DRAWING_FRAME: Frame = { width: 320, height: 200 };

const SHEET_WIDTH = 2;
const PAINT_WIDTH = 1.5;
const PAINT_DISTANCE = 4.5;
/** The margin has room for the paint at any place. */
const MARGIN = PAINT_DISTANCE * FURTHEST_PAINT + PAINT_WIDTH / 2;
/** Visible on light and on dark backgrounds: its contrast is at least 3:1 to white and to black. */
const SHEET_COLOUR = '#2f7fd6';
const PAINT_COLOUR = '#d9730d';

/** The parts of a profile that are drawn. */
export interface Drawn {
  readonly features: readonly Feature[];
  readonly paintedSide: Side | null;
}

/**
 * A cross-section as SVG, one path a feature with its place as `data-feature`, the painted side as a line beside it.
 * Lines keep their width at any size. Colours are plain attributes, which a page's style sheet can override by the classes
 * `profile-sheet` and `profile-paint`.
 */
export function profileDrawing(drawn: Drawn, frame: Frame = DRAWING_FRAME): string {
  return drawing(drawn, frame, featurePaths);
}

/** One path a feature. */
export function featurePaths(segments: readonly Segment[], fit: Fit): string {
  return segments.map((segment) => path(` data-feature="${segment.feature}"`, from(segment, fit))).join('');
}

/** A cross-section with all features in one path: small, and quickly turned into an image. */
export function profileOutline(drawn: Drawn, frame: Frame): string {
  return drawing(drawn, frame, ([first, ...others], fit) => {
    const start = first === undefined ? '' : from(first, fit);
    const rest = others.filter(({ kind }) => kind !== 'corner').map((segment) => strokeTo(segment, fit));
    return path('', start + rest.join(''));
  });
}

/** The drawing around the sheet, such as dimensions. */
export interface Besides {
  readonly margins: Margins;
  readonly draw: (path: ProfilePath, fit: Fit) => string;
}

export function drawing(
  { features, paintedSide }: Drawn,
  frame: Frame,
  sheetPaths: (segments: readonly Segment[], fit: Fit) => string,
  besides: Besides = NOTHING_BESIDES,
): string {
  const levelled = levelledPath(features);
  const { segments, bounds } = levelled;
  const fit = fitInto(frame, bounds, besides.margins);
  const paint = paintedSide === null ? [] : paintedLine(segments, paintedSide, PAINT_DISTANCE / fit.scale);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${frame.width} ${frame.height}" role="img">` +
    `<g fill="none" stroke-linecap="round" stroke-linejoin="round">${paintPath(paint, fit)}` +
    `<g class="profile-sheet" stroke="${SHEET_COLOUR}" stroke-width="${SHEET_WIDTH}">${sheetPaths(segments, fit)}</g>` +
    `</g>${besides.draw(levelled, fit)}</svg>`
  );
}

/** From the profile's units to the frame, with the y axis turned downwards. */
export interface Fit {
  readonly scale: number;
  readonly at: (point: Point) => Point;
  readonly place: (point: Point) => string;
}

/** The room around the sheet. */
export interface Margins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

const NOTHING_BESIDES: Besides = {
  margins: { top: MARGIN, right: MARGIN, bottom: MARGIN, left: MARGIN },
  draw: () => '',
};

/** Smaller sheets are drawn as a dot. */
const SMALLEST_SPAN = 1e-9;

function fitInto({ width, height }: Frame, { minX, minY, maxX, maxY }: Bounds, margins: Margins): Fit {
  const scale = Math.min(
    (width - margins.left - margins.right) / Math.max(maxX - minX, SMALLEST_SPAN),
    (height - margins.top - margins.bottom) / Math.max(maxY - minY, SMALLEST_SPAN),
  );
  const left = (width + margins.left - margins.right - (maxX - minX) * scale) / 2;
  const top = (height + margins.top - margins.bottom - (maxY - minY) * scale) / 2;
  const at = ({ x, y }: Point) => ({ x: left + (x - minX) * scale, y: top + (maxY - y) * scale });
  const place = (point: Point) => {
    const { x, y } = at(point);
    return `${text(x)} ${text(y)}`;
  };
  return { scale, at, place };
}

type Stroke = Segment | PaintedStretch;

function paintPath(stretches: readonly PaintedStretch[], fit: Fit): string {
  if (stretches.length === 0) return '';
  const attributes = ` class="profile-paint" stroke="${PAINT_COLOUR}" stroke-width="${PAINT_WIDTH}"`;
  return path(attributes, stretches.map((stretch) => from(stretch, fit)).join(''));
}

function path(attributes: string, d: string): string {
  return `<path${attributes} d="${d}" vector-effect="non-scaling-stroke"/>`;
}

function from(stroke: Stroke, fit: Fit): string {
  return `M${fit.place(stroke.from)}${strokeTo(stroke, fit)}`;
}

function strokeTo(stroke: Stroke, fit: Fit): string {
  switch (stroke.kind) {
    case 'corner':
      // A stroke without length is a dot under round caps: the corner can be pointed at.
      return 'h0';
    case 'line':
      return `L${fit.place(stroke.to)}`;
    case 'arc': {
      const radius = text(stroke.radius * fit.scale);
      const isLarge = Math.abs(stroke.sweep) > Math.PI ? 1 : 0;
      // To the left is against the clock, also with the y axis turned.
      return `A${radius} ${radius} 0 ${isLarge} ${stroke.sweep > 0 ? 0 : 1} ${fit.place(stroke.to)}`;
    }
  }
}

const DIGITS = 2;

function text(value: number): string {
  return String(Number(value.toFixed(DIGITS)));
}

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
