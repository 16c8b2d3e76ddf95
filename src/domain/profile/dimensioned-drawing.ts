import { type Drawn, drawing, type Fit, type Frame, featurePaths, levelledPath, type Margins } from './drawing.ts';
import { type Feature, isStraight } from './profile.ts';
import { type Point, type ProfilePath, type Segment, signOf } from './profile-path.ts';

/** The frame of a large screen, and that of a telephone: texts are as large in both. */
export const DIMENSIONED_FRAMES = { large: { width: 440, height: 300 }, small: { width: 300, height: 240 } } as const;
/** Room for the lines and texts of the overall size, and for lengths outside of the sheet. */
const MARGINS: Margins = { top: 26, right: 84, bottom: 50, left: 46 };
/** The distance of the lines of the overall size from the sheet. */
const LINE_DISTANCE = 24;
/** The size of a bold text of 13 units, in a font with wide digits. */
const CHARACTER_WIDTH = 8.4;
const TEXT_HEIGHT = 15;
/** From a straight to the text of its length; the painted line needs more. */
const TEXT_DISTANCE = 4;
const PAINT_ROOM = 7;
/** Two samples of the sheet, between which no text fits. */
const SAMPLE_DISTANCE = 5;
/** More texts would not find room. */
const MAX_TEXTS = 60;

/** How sizes are written, and in which frame. */
export interface DimensionTexts {
  readonly frame: Frame;
  readonly length: (size: number) => string;
  readonly overall: (size: number) => string;
}

/**
 * The cross-section with the length of each straight, as far as there is room, and its overall width and height. The straight at `selected` has its length in any case.
 */
export function dimensionedDrawing(drawn: Drawn, texts: DimensionTexts, selected: number | null): string {
  const draw = (path: ProfilePath, fit: Fit) => {
    const { lines, boxes } = overall(path, fit, texts.overall);
    return `<path class="dim-l" d="${lines}"/>${[...boxes, ...lengths(drawn, path, fit, texts, selected, boxes)].map(textElement).join('')}`;
  };
  return drawing(drawn, texts.frame, featurePaths, { margins: MARGINS, draw });
}

/** The width and height of the cross-section as it is drawn, along the middle of the sheet. */
export function overallSize(features: readonly Feature[]): { readonly width: number; readonly height: number } {
  const { minX, minY, maxX, maxY } = levelledPath(features).bounds;
  return { width: maxX - minX, height: maxY - minY };
}

/** A text around its middle. */
interface TextBox extends Point {
  readonly text: string;
}

function overall({ bounds }: ProfilePath, { at, scale }: Fit, text: (size: number) => string) {
  const { minX, minY, maxX, maxY } = bounds;
  const [start, end] = [at({ x: minX, y: maxY }), at({ x: maxX, y: minY })];
  const [x, y] = [digits(end.x + LINE_DISTANCE), digits(end.y + LINE_DISTANCE)];
  const [left, top, right, bottom] = [start.x, start.y, end.x, end.y].map(digits);
  // Each line has a short one across each end.
  const across = `M${left} ${y}m0-5v10m0-5H${right}m0-5v10`;
  const boxes: TextBox[] = [{ text: text(maxX - minX), x: (start.x + end.x) / 2, y: Number(y) + TEXT_HEIGHT }];
  if ((maxY - minY) * scale < TEXT_HEIGHT) return { lines: across, boxes };
  const height = text(maxY - minY);
  const beside = { text: height, x: Number(x) + 5 + (height.length * CHARACTER_WIDTH) / 2, y: (start.y + end.y) / 2 };
  return { lines: `${across}M${x} ${top}m-5 0h10m-5 0V${bottom}m-5 0h10`, boxes: [...boxes, beside] };
}

/** The lengths of straights, the longest first, each on the side where it lies on nothing. */
function lengths(
  { features, paintedSide }: Drawn,
  { segments }: ProfilePath,
  fit: Fit,
  { length: text, frame }: DimensionTexts,
  selected: number | null,
  taken: readonly TextBox[],
): readonly TextBox[] {
  const sheet = segments.flatMap((segment) => samples(segment, fit));
  const placed: TextBox[] = [...taken];
  const straights = segments
    .flatMap(({ feature, from, to }) => {
      const straight = features[feature];
      return straight !== undefined && isStraight(straight)
        ? [{ isSelected: feature === selected, length: straight.length, from: fit.at(from), to: fit.at(to) }]
        : [];
    })
    .sort((one, other) => Number(other.isSelected) - Number(one.isSelected) || other.length - one.length);
  // The y axis of the frame points down, so left of the path is the other way round.
  const paint = paintedSide === null ? 0 : -signOf(paintedSide);
  for (const { isSelected, length, from, to } of straights.slice(0, MAX_TEXTS)) {
    const sides = [-paint || 1, paint || -1];
    const boxes = sides.map((side) => beside(text(length), from, to, side, side === paint ? PAINT_ROOM : 0));
    const free = boxes.find(
      (box) => isInFrame(box, frame) && !placed.some((other) => overlaps(box, other)) && isClear(box, sheet),
    );
    const box = free ?? (isSelected ? boxes[0] : undefined);
    if (box !== undefined) placed.push(box);
  }
  return placed.slice(taken.length);
}

function beside(text: string, from: Point, to: Point, side: number, room: number): TextBox {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const normal = { x: (-(to.y - from.y) / length) * side, y: ((to.x - from.x) / length) * side };
  const { width, height } = sizeOf(text);
  const distance = TEXT_DISTANCE + room + (Math.abs(normal.x) * width + Math.abs(normal.y) * height) / 2;
  return { text, x: (from.x + to.x) / 2 + normal.x * distance, y: (from.y + to.y) / 2 + normal.y * distance };
}

function sizeOf(text: string): { readonly width: number; readonly height: number } {
  return { width: text.length * CHARACTER_WIDTH, height: TEXT_HEIGHT };
}

function isInFrame({ text, x, y }: TextBox, frame: Frame): boolean {
  const { width, height } = sizeOf(text);
  return x > width / 2 && x < frame.width - width / 2 && y > height / 2 && y < frame.height - height / 2;
}

function overlaps(one: TextBox, other: TextBox): boolean {
  const [size, otherSize] = [sizeOf(one.text), sizeOf(other.text)];
  const isBeside = Math.abs(one.x - other.x) >= (size.width + otherSize.width) / 2 + 2;
  return !isBeside && Math.abs(one.y - other.y) < (size.height + otherSize.height) / 2;
}

function isClear(box: TextBox, sheet: readonly Point[]): boolean {
  const { width, height } = sizeOf(box.text);
  return !sheet.some(({ x, y }) => Math.abs(x - box.x) < width / 2 + 1 && Math.abs(y - box.y) < height / 2);
}

/** Points of the sheet in the frame, close to each other. */
function samples(segment: Segment, { at, scale }: Fit): readonly Point[] {
  const { from, to } = segment;
  const span =
    segment.kind === 'arc' ? segment.radius * Math.abs(segment.sweep) : Math.hypot(to.x - from.x, to.y - from.y);
  const steps = Math.ceil((span * scale) / SAMPLE_DISTANCE);
  return Array.from({ length: steps + 1 }, (_, step) => at(pointOf(segment, steps === 0 ? 0 : step / steps)));
}

/** The point at this part of a segment. */
function pointOf(segment: Segment, part: number): Point {
  const { from, to } = segment;
  if (segment.kind !== 'arc') return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
  const { centre, radius, sweep } = segment;
  const angle = Math.atan2(from.y - centre.y, from.x - centre.x) + sweep * part;
  return { x: centre.x + Math.cos(angle) * radius, y: centre.y + Math.sin(angle) * radius };
}

function textElement({ text, x, y }: TextBox): string {
  return `<text x="${digits(x)}" y="${digits(y)}" text-anchor="middle" dominant-baseline="central">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function digits(value: number): string {
  return String(Number(value.toFixed(1)));
}
