import { SyntaxFault, type Token, tokensOf } from './tokens.ts';

/** Tokens, taken one after the other. Keywords count in any case. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = tokensOf(source);
  }

  get next(): Token {
    return this.ahead(0);
  }

  ahead(count: number): Token {
    const token = this.#tokens[this.#at + count] ?? this.#tokens.at(-1);
    if (token === undefined) throw new SyntaxFault(0, 'there is nothing');
    return token;
  }

  is(word: string): boolean {
    const { kind, text } = this.next;
    return (kind === 'name' || kind === 'sign') && text.toUpperCase() === word;
  }

  isOneOf(words: readonly string[]): boolean {
    return words.some((word) => this.is(word));
  }

  skip(word: string): boolean {
    if (!this.is(word)) return false;
    this.#at++;
    return true;
  }

  take(word: string): void {
    if (!this.skip(word)) throw this.fault(`expected ${word}, found ${this.next.text}`);
  }

  takeKind(kind: Token['kind']): string {
    const { next } = this;
    if (next.kind !== kind) throw this.fault(`expected a ${kind}, found ${next.text}`);
    this.#at++;
    return next.text;
  }

  fault(message: string): SyntaxFault {
    return new SyntaxFault(this.next.line, message);
  }
}
