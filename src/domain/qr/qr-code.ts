/** A QR code (ISO/IEC 18004) of error correction level M, whose text is kept as UTF-8. */

/** Error correction codewords of a block, and the number of blocks, by version from 1 on. */
const CODEWORDS = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];

type Square = number[][];
type Mask = (x: number, y: number) => number;

const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** The rows of a code: 1 is dark. Throws RangeError for a text of more than 666 bytes. */
export function qrCode(text: string): readonly (readonly number[])[] {
  const bytes = [...new TextEncoder().encode(text)];
  const version = CODEWORDS.findIndex((_, index) => bytes.length + (index < 9 ? 2 : 3) <= dataBytes(index + 1)) + 1;
  if (version === 0) throw new RangeError(`a QR code has room for 666 bytes, found ${bytes.length}`);
  const codewords = interleaved(padded(bytes, version), version);
  const drawn = MASKS.map((mask, number) => draw(codewords, version, mask, number));
  return drawn.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

function modules(version: number): number {
  const aligned = Math.floor(version / 7) + 2;
  const own = (16 * version + 128) * version + 64;
  return version === 1 ? own : own - (25 * aligned - 10) * aligned + 55 - (version < 7 ? 0 : 36);
}

function dataBytes(version: number): number {
  return Math.floor(modules(version) / 8) - at(CODEWORDS, version - 1) * at(BLOCKS, version - 1);
}

/** Mode and length in front, and filling behind. */
function padded(bytes: readonly number[], version: number): readonly number[] {
  const length = bytes.length.toString(2).padStart(version < 10 ? 8 : 16, '0');
  const bits = `0100${length}${bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')}0000`;
  const filled = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  for (let filling = 0xec; filled.length < dataBytes(version); filling ^= 0xfd) filled.push(filling);
  return filled;
}

/** The blocks of the data with their error correction, byte by byte in turn. */
function interleaved(data: readonly number[], version: number): readonly number[] {
  const count = at(BLOCKS, version - 1);
  const divisor = divisorOf(at(CODEWORDS, version - 1));
  const short = Math.floor(data.length / count);
  const shorts = count - (data.length % count);
  const blocks = Array.from({ length: count }, (_, block) => {
    const from = block * short + Math.max(0, block - shorts);
    return data.slice(from, from + short + (block < shorts ? 0 : 1));
  });
  const columns = (of: readonly (readonly number[])[]) =>
    Array.from({ length: Math.max(...of.map(({ length }) => length)) }, (_, column) =>
      of.flatMap((block) => block[column] ?? []),
    ).flat();
  return [...columns(blocks), ...columns(blocks.map((block) => remainder(block, divisor)))];
}

/** In the field of 256 elements over 0x11d. */
function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1)
    product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((other >> bit) & 1) * one);
  return product;
}

function divisorOf(degree: number): readonly number[] {
  let divisor = [...Array<number>(degree - 1).fill(0), 1];
  for (let root = 1, power = 0; power < degree; power += 1, root = times(root, 2)) {
    divisor = divisor.map((factor, place) => times(factor, root) ^ (divisor[place + 1] ?? 0));
  }
  return divisor;
}

function remainder(data: readonly number[], divisor: readonly number[]): readonly number[] {
  const rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [place, term] of divisor.entries()) rest[place] = at(rest, place) ^ times(term, factor);
  }
  return rest;
}

function draw(codewords: readonly number[], version: number, mask: Mask, number: number): Square {
  const size = version * 4 + 17;
  const square: Square = Array.from({ length: size }, () => Array<number>(size).fill(-1));
  const set: Set = (x, y, isDark) => {
    const row = square[y];
    if (row?.[x] !== undefined) row[x] = isDark ? 1 : 0;
  };
  for (let place = 0; place < size; place += 1) {
    set(6, place, place % 2 === 0);
    set(place, 6, place % 2 === 0);
  }
  drawRings(set, version, size);
  drawFormat(set, number, version, size);
  let bit = 0;
  for (const [x, y] of freePlaces(square)) {
    const isDark = ((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
    bit += 1;
    set(x, y, isDark !== (mask(x, y) === 0 ? 1 : 0));
  }
  return square;
}

/** The places of the data: in pairs of columns from the right, up and down in turn. */
function* freePlaces(square: Square): Generator<readonly [x: number, y: number]> {
  const size = square.length;
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const isUpward = ((right + (right < 7 ? 1 : 0) + 1) & 2) === 0;
    for (let step = 0; step < size * 2; step += 1) {
      const x = right - (step % 2);
      const y = isUpward ? size - 1 - (step >> 1) : step >> 1;
      if (square[y]?.[x] === -1) yield [x, y];
    }
  }
}

type Set = (x: number, y: number, isDark: unknown) => void;

/** The three large squares with their light edge, and the small ones. */
function drawRings(set: Set, version: number, size: number): void {
  const ring = (x: number, y: number, radius: number) => {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy));
        set(x + dx, y + dy, radius === 2 ? distance !== 1 : distance !== 2 && distance !== 4);
      }
    }
  };
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((size - 13) / (count * 2 - 2)) * 2;
  const places = version === 1 ? [] : [6, ...Array.from({ length: count - 1 }, (_, place) => size - 7 - place * step)];
  for (const x of places) {
    for (const y of places)
      if (!((x === 6 && (y === 6 || y === size - 7)) || (y === 6 && x === size - 7))) ring(x, y, 2);
  }
  ring(3, 3, 4);
  ring(size - 4, 3, 4);
  ring(3, size - 4, 4);
}

function drawFormat(set: Set, mask: number, version: number, size: number): void {
  const format = coded(mask, 10, 0x537) ^ 0x5412;
  for (let place = 0; place < 15; place += 1) {
    const isDark = (format >> place) & 1;
    set(8, place < 6 ? place : place < 8 ? place + 1 : size - 15 + place, isDark);
    set(place < 8 ? size - 1 - place : place === 8 ? 7 : 14 - place, 8, isDark);
  }
  set(8, size - 8, true);
  const told = coded(version, 12, 0x1f25);
  for (let place = 0; version > 6 && place < 18; place += 1) {
    const [near, far] = [Math.floor(place / 3), size - 11 + (place % 3)];
    set(near, far, (told >> place) & 1);
    set(far, near, (told >> place) & 1);
  }
}

/** A number with its error correction behind it. */
function coded(number: number, bits: number, generator: number): number {
  let rest = number;
  for (let bit = 0; bit < bits; bit += 1) rest = (rest << 1) ^ ((rest >> (bits - 1)) * generator);
  return (number << bits) | rest;
}

/** How hard a code is to read: long lines and squares of one colour, what looks like a corner, and too much of one colour. */
function penalty(square: Square): number {
  const size = square.length;
  const lines = [...square, ...square.map((_, x) => square.map((row) => at(row, x)))].map((line) => line.join(''));
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []).map(({ length }) => length - 2);
  const corners = lines.flatMap(
    (line) => `0000${line}0000`.match(/(?=1011101)(?:(?<=0000)|(?=.{7}0000))/g) ?? [],
  ).length;
  const pairs = square.flatMap((row, y) =>
    row.filter((one, x) => one === row[x + 1] && one === square[y + 1]?.[x] && one === square[y + 1]?.[x + 1]),
  ).length;
  const dark = square.flat().filter((one) => one === 1).length;
  const unbalanced = Math.ceil(Math.abs(dark * 20 - size * size * 10) / (size * size)) - 1;
  return runs.reduce((sum, run) => sum + run, 0) + corners * 40 + pairs * 3 + unbalanced * 10;
}

function at(list: readonly number[], place: number): number {
  return list[place] ?? 0;
}
