import type { Dispatcher } from 'undici';
import { LIMITS } from './limits.ts';

/** The outcome of one request. */
export type ExchangeResult =
  /** `text` may be cut off: the status is the answer. */
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** It never reached a connection: not one byte of it was sent. */
  | { readonly kind: 'unsent'; readonly detail: string }
  /** It was sent, or begun to be, and no answer came. */
  | { readonly kind: 'unanswered'; readonly detail: string };

/**
 * One request on its way, ended by its deadline at the latest. undici says `onRequestStart` before the first byte goes to
 * a connection that stands: what ends before that was never sent, and from then on it is never sent again.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly result: Promise<ExchangeResult>;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #deadline: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status: number | null = null;
  #bytes = 0;

  constructor(timeoutMs: number) {
    const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
    this.result = promise;
    this.#resolve = resolve;
    this.#deadline = setTimeout(() => this.#giveUp(`no answer within ${timeoutMs} ms`), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || this.#controller !== null) {
      controller.abort(new Error('not sent a second time, nor after its deadline'));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    // Those below come before the answer.
    if (status >= 200) this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > LIMITS.answerBytes) this.#giveUp(`an answer of more than ${LIMITS.answerBytes} bytes`);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end('an answer without a status');
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error.message);
  }

  #giveUp(detail: string): void {
    this.#end(detail);
    this.#controller?.abort(new Error(detail));
  }

  #end(detail: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    if (this.#status !== null) {
      const text = Buffer.concat(this.#chunks).toString('utf8');
      this.#resolve({ kind: 'answered', status: this.#status, text });
    } else {
      this.#resolve({ kind: this.#controller === null ? 'unsent' : 'unanswered', detail });
    }
  }
}
