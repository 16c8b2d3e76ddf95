import { levelledPath } from './levelling.ts';
import { FURTHEST_PAINT, type PaintedStretch, paintedLine } from './painted-line.ts';
import type { Feature, Side } from './profile.ts';
import type { Bounds, Point, Segment } from './profile-path.ts';

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
  return drawing(drawn, frame, (segments, fit) =>
    segments.map((segment) => path(` data-feature="${segment.feature}"`, from(segment, fit))).join(''),
  );
}

/** The same with all features in one path: small, and quickly turned into an image. */
export function profileOutline(drawn: Drawn, frame: Frame): string {
  return drawing(drawn, frame, ([first, ...others], fit) => {
    const start = first === undefined ? '' : from(first, fit);
    const rest = others.filter(({ kind }) => kind !== 'corner').map((segment) => strokeTo(segment, fit));
    return path('', start + rest.join(''));
  });
}

function drawing(
  { features, paintedSide }: Drawn,
  frame: Frame,
  sheetPaths: (segments: readonly Segment[], fit: Fit) => string,
): string {
  const { segments, bounds } = levelledPath(features);
  const fit = fitInto(frame, bounds);
  const paint = paintedSide === null ? [] : paintedLine(segments, paintedSide, PAINT_DISTANCE / fit.scale);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${frame.width} ${frame.height}" role="img">` +
    `<g fill="none" stroke-linecap="round" stroke-linejoin="round">${paintPath(paint, fit)}` +
    `<g class="profile-sheet" stroke="${SHEET_COLOUR}" stroke-width="${SHEET_WIDTH}">${sheetPaths(segments, fit)}</g>` +
    '</g></svg>'
  );
}

/** From the profile's units to the frame, with the y axis turned downwards. */
interface Fit {
  readonly scale: number;
  readonly place: (point: Point) => string;
}

/** Smaller sheets are drawn as a dot. */
const SMALLEST_SPAN = 1e-9;

function fitInto({ width, height }: Frame, { minX, minY, maxX, maxY }: Bounds): Fit {
  const scale = Math.min(
    (width - 2 * MARGIN) / Math.max(maxX - minX, SMALLEST_SPAN),
    (height - 2 * MARGIN) / Math.max(maxY - minY, SMALLEST_SPAN),
  );
  const left = (width - (maxX - minX) * scale) / 2;
  const top = (height - (maxY - minY) * scale) / 2;
  return { scale, place: ({ x, y }) => `${text(left + (x - minX) * scale)} ${text(top + (maxY - y) * scale)}` };
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
