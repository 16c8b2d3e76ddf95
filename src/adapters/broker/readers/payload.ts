declare const brand: unique symbol;

/**
 * The bytes of a message as text, one character for each byte (latin1). Text needs no memory outside the heap: a Buffer
 * that is kept holds the whole slab it was cut from.
 */
export type Payload = string & { readonly [brand]: 'Payload' };

export const NO_BYTES = '' as Payload;

export function payloadOf(content: Buffer | string): Payload {
  if (typeof content === 'string' && isAscii(content)) return content as Payload;
  return Buffer.from(content).toString('latin1') as Payload;
}

export function bytesOf(payload: Payload): Buffer {
  return Buffer.from(payload, 'latin1');
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
