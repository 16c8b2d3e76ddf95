import { encode } from 'dns-packet';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { queryBytes, readMessage, responseBytes } from '../../../src/adapters/discovery/mdns-message.ts';

it('the answer to any bytes that are a message can be made, and other bytes are no message', () => {
  const question = queryBytes({ name: 'plantgate.local', type: 'ANY' }).subarray(12);
  const header = fc.tuple(fc.nat(65_535), fc.nat(3), fc.nat(2)).map(([id, asked, answered]) => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16BE(id);
    bytes.writeUInt16BE(asked + 1, 4);
    bytes.writeUInt16BE(answered, 6);
    return bytes;
  });
  const label = fc.uint8Array({ maxLength: 63 }).map((bytes) => Buffer.from([bytes.length, ...bytes]));
  const asked = fc
    .tuple(fc.array(label, { maxLength: 3 }), fc.uint8Array({ minLength: 4, maxLength: 4 }))
    .map(([labels, end]) => Buffer.concat([...labels, Buffer.from([0]), end]));
  const rest = fc.oneof(
    fc.array(asked, { maxLength: 3 }).map((list) => Buffer.concat(list)),
    fc.uint8Array({ maxLength: 200 }),
  );
  let messages = 0;
  fc.assert(
    fc.property(header, rest, (head, tail) => {
      const legacy = readMessage(Buffer.concat([head, question, tail]));
      if (legacy === null) return;
      messages += 1;
      responseBytes([{ name: 'plantgate.local', type: 'A', ttl: 10, data: '10.0.0.1' }], { legacy });
    }),
    { numRuns: 3_000 },
  );
  expect(messages).toBeGreaterThan(100);
});

it('a message beyond 9,000 bytes is not read (RFC 6762, 17)', () => {
  const questions = Array.from({ length: 500 }, () => ({ name: 'plantgate.local', type: 'A' as const }));
  const bytes = encode({ type: 'query', questions });
  expect(bytes.length).toBeGreaterThan(9_000);
  expect(readMessage(bytes)).toBeNull();
});
