/** A file of an archive. */
export interface TarFile {
  readonly name: string;
  readonly content: Buffer;
  /** The rights of owner, group and others, such as 0o644. */
  readonly mode: number;
}

const BLOCK_BYTES = 512;
const MAX_NAME_BYTES = 100;

/** Files as a tar archive (POSIX.1-1988, ustar), with plain files only. */
export function tarArchive(files: readonly TarFile[], modifiedAt: Date): Buffer {
  const blocks = files.flatMap((file) => [
    header(file, modifiedAt),
    file.content,
    Buffer.alloc(paddingOf(file.content.length)),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

function header({ name, content, mode }: TarFile, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new RangeError(`${name}: longer than ${MAX_NAME_BYTES} bytes`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(content.length, 12), 124);
  block.write(octal(Math.floor(modifiedAt.getTime() / 1_000), 12), 136);
  block.write('        0', 148);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\u0000 `, 148);
  return block;
}

/** tar writes numbers in octal, ended by a zero byte. */
function octal(value: number, width: number): string {
  return value.toString(8).padStart(width - 1, '0');
}
