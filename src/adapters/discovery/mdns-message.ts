import { type Answer, AUTHORITATIVE_ANSWER, type DecodedPacket, decode, encode, type Question } from 'dns-packet';

export const MDNS_PORT = 5353;
export const MDNS_GROUP = '224.0.0.251';

/** A larger message is ignored (RFC 6762, 17). */
const MAX_MESSAGE_BYTES = 9_000;

/** The types of the package lack ANY, which the package knows. */
export type AskedQuestion = Pick<Question, 'name'> & { readonly type: Question['type'] | 'ANY' };

/** Gives null if the bytes are no DNS message. */
export function readMessage(bytes: Buffer): DecodedPacket | null {
  if (bytes.length > MAX_MESSAGE_BYTES) return null;
  try {
    return decode(bytes);
  } catch {
    // The package throws only for bytes that are no message.
    return null;
  }
}

export function queryBytes(question: AskedQuestion, id = 0): Buffer {
  return encode({ type: 'query', id, questions: [question as Question] });
}

export interface ResponseOptions {
  /** The message of an ordinary resolver. Its id and its questions are repeated in the response. */
  readonly legacy?: Pick<DecodedPacket, 'id' | 'questions'>;
  readonly additional?: readonly Answer[];
}

export function responseBytes(answers: readonly Answer[], { legacy, additional = [] }: ResponseOptions = {}): Buffer {
  // An ordinary resolver does not know that a record replaces all former ones.
  const records = (list: readonly Answer[]) => (legacy === undefined ? [...list] : list.map(withoutFlush));
  return encode({
    type: 'response',
    id: legacy?.id ?? 0,
    flags: AUTHORITATIVE_ANSWER,
    questions: legacy?.questions ?? [],
    answers: records(answers),
    additionals: records(additional),
  });
}

function withoutFlush(record: Answer): Answer {
  return { ...record, flush: false } as Answer;
}
