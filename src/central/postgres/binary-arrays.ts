/**
 * Arrays of numbers in PostgreSQL's binary format, which is several times cheaper than text. A statement takes them as
 * they are, and gives them by `array_send`, because the driver reads results as text.
 */

const FLOAT8 = 701;
const INT4 = 23;
/** Dimensions, a flag for nulls, the type of the elements; then the length and the first index of the one dimension. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** `float8[]`. */
export function float8Array(values: ArrayLike<number>): Buffer {
  return encoded(values, FLOAT8, 8, (bytes, at, value) => bytes.writeDoubleBE(value, at));
}

/** `int4[]`; each value fits into 32 bits. */
export function int4Array(values: ArrayLike<number>): Buffer {
  return encoded(values, INT4, 4, (bytes, at, value) => bytes.writeInt32BE(value, at));
}

function encoded(
  values: ArrayLike<number>,
  type: number,
  width: number,
  write: (bytes: Buffer, at: number, value: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + width));
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeInt32BE(type, 8);
  bytes.writeInt32BE(values.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (let index = 0; index < values.length; index += 1) {
    bytes.writeInt32BE(width, at);
    write(bytes, at + LENGTH_BYTES, values[index] ?? 0);
    at += LENGTH_BYTES + width;
  }
  return bytes;
}

/** Reads `int4[]` or `float8[]`. */
export function numbersOf(bytes: Buffer): Float64Array {
  const isEmpty = bytes.readInt32BE(0) === 0;
  const isFloat = bytes.readInt32BE(8) === FLOAT8;
  const width = isFloat ? 8 : 4;
  const values = new Float64Array(isEmpty ? 0 : bytes.readInt32BE(12));
  for (let index = 0; index < values.length; index += 1) {
    const at = HEADER_BYTES + index * (LENGTH_BYTES + width) + LENGTH_BYTES;
    values[index] = isFloat ? bytes.readDoubleBE(at) : bytes.readInt32BE(at);
  }
  return values;
}
