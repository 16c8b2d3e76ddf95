import { levelledPath } from './levelling.ts';
import { paintedLine } from './painted-line.ts';
import type { Feature, Side } from './profile.ts';
import type { Bounds, Point, Segment } from './profile-path.ts';

/** The frame a cross-section is fitted into, in pixels or whatever the drawing is scaled to. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

export const DRAWING_FRAME: Frame = { width: 320, height: 200 };

const MARGIN = 12;
const SHEET_WIDTH = 2;
const PAINT_WIDTH = 1.5;
const PAINT_DISTANCE = 4.5;
/** Seen on light and on dark alike: at least 3:1 against white and against black. */
const SHEET_COLOUR = '#2f7fd6';
const PAINT_COLOUR = '#d9730d';

/**
 * A cross-section as SVG, one path a feature with its place as `data-feature`, the painted side as a line beside it.
 * Lines keep their width at any size. Colours are plain attributes, for a page's style sheet to override by the classes
 * `profile-sheet` and `profile-paint`.
 */
export function profileDrawing(
  { features, paintedSide }: { readonly features: readonly Feature[]; readonly paintedSide: Side | null },
  frame: Frame = DRAWING_FRAME,
): string {
  const { segments, bounds } = levelledPath(features);
  const fit = fitInto(frame, bounds);
  const paint =
    paintedSide === null ? '' : paintPath(paintedLine(segments, paintedSide, PAINT_DISTANCE / fit.scale), fit);
  const sheet = segments.map((segment) => sheetPath(segment, fit)).join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${frame.width} ${frame.height}" role="img">` +
    `<g fill="none" stroke-linecap="round" stroke-linejoin="round">${paint}` +
    `<g class="profile-sheet" stroke="${SHEET_COLOUR}" stroke-width="${SHEET_WIDTH}">${sheet}</g></g></svg>`
  );
}

/** From the profile's units to the frame, with the y axis turned downwards. */
interface Fit {
  readonly scale: number;
  readonly place: (point: Point) => string;
}

/** What is smaller than this is drawn as a dot. */
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

function sheetPath(segment: Segment, fit: Fit): string {
  const d = `M${fit.place(segment.from)}${strokeTo(segment, fit)}`;
  return `<path data-feature="${segment.feature}" d="${d}" vector-effect="non-scaling-stroke"/>`;
}

function paintPath(stretches: ReturnType<typeof paintedLine>, fit: Fit): string {
  const d = stretches.map((stretch) => `M${fit.place(stretch.from)}${strokeTo(stretch, fit)}`).join('');
  const stroke = `stroke="${PAINT_COLOUR}" stroke-width="${PAINT_WIDTH}"`;
  return `<path class="profile-paint" d="${d}" ${stroke} vector-effect="non-scaling-stroke"/>`;
}

function strokeTo(segment: Segment | ReturnType<typeof paintedLine>[number], fit: Fit): string {
  switch (segment.kind) {
    case 'corner':
      // A stroke without length is a dot under round caps: the corner can be pointed at.
      return 'h0';
    case 'line':
      return `L${fit.place(segment.to)}`;
    case 'arc': {
      const radius = text(segment.radius * fit.scale);
      const isLarge = Math.abs(segment.sweep) > Math.PI ? 1 : 0;
      // To the left is against the clock, also with the y axis turned.
      return `A${radius} ${radius} 0 ${isLarge} ${segment.sweep > 0 ? 0 : 1} ${fit.place(segment.to)}`;
    }
  }
}

const DIGITS = 2;

function text(value: number): string {
  return String(Number(value.toFixed(DIGITS)));
}
