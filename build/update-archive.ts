import { createHash, type KeyObject, sign } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { ARCHIVE_MARK, signedBytes } from '../src/cli/commands/update/archive.ts';
import { PRODUCT, type UpdateHeader } from '../src/domain/update/update-header.ts';

export interface UpdateSource {
  readonly binary: string;
  readonly version: string;
  readonly arch: string;
  readonly schema: number;
  readonly created: Date;
}

/** Writes an update archive of a program, signed with a private Ed25519 key. */
export async function writeUpdate(out: string, source: UpdateSource, privateKey: KeyObject): Promise<UpdateHeader> {
  const { binary, version, arch, schema, created } = source;
  const hash = createHash('sha256');
  for await (const piece of createReadStream(binary)) hash.update(piece);
  const header: UpdateHeader = {
    product: PRODUCT,
    version,
    arch,
    bytes: (await stat(binary)).size,
    sha256: hash.digest('hex'),
    schema,
    created: created.toISOString(),
  };
  const headerLine = JSON.stringify(header);
  const signature = sign(null, signedBytes(headerLine), privateKey).toString('base64');
  const fresh = `${out}.part`;
  const target = await open(fresh, 'w');
  try {
    await target.writeFile(`${ARCHIVE_MARK}${signature}\n${headerLine}\n`);
    await target.writeFile(createReadStream(binary));
  } finally {
    await target.close();
  }
  await rename(fresh, out);
  return header;
}
