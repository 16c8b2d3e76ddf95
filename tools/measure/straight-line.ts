/** The line through points with the least squares, and the standard error of its slope. */
export interface StraightLine {
  readonly slope: number;
  readonly slopeError: number;
  readonly start: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function straightLine(points: readonly Point[]): StraightLine {
  const count = points.length;
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / count;
  const spreadX = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spreadX;
  const start = meanY - slope * meanX;
  const rest = points.reduce((sum, { x, y }) => sum + (y - start - slope * x) ** 2, 0);
  return { slope, start, slopeError: Math.sqrt(rest / (count - 2) / spreadX) };
}
