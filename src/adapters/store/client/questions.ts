import { CodedError } from '../../../domain/error.ts';
import type { FromThread, QuestionName, Questions, ToThread } from '../protocol.ts';

/** The number of questions under way at once; further ones are refused. */
const MAX_OPEN_QUESTIONS = 1_000;

export type Ask = Extract<ToThread, { kind: 'ask' }>;

interface Open {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Questions put to the store thread and not answered yet. */
export class OpenQuestions {
  readonly #post: (message: Ask) => void;
  readonly #open = new Map<number, Open>();
  #lastId = 0;

  constructor(post: (message: Ask) => void) {
    this.#post = post;
  }

  ask<K extends QuestionName>(question: K, ...args: Questions[K]['ask']): Promise<Questions[K]['answer']> {
    if (this.#open.size >= MAX_OPEN_QUESTIONS) {
      return Promise.reject(new CodedError('store-unavailable', `${MAX_OPEN_QUESTIONS} questions wait for the store`));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Questions[K]['answer']>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#post({ kind: 'ask', id, question, args });
    });
  }

  /** There was no thread to ask. */
  unsent(id: number): void {
    this.#take(id)?.reject(new CodedError('store-unavailable', 'the store is being restarted'));
  }

  answered(id: number, value: unknown): void {
    // The thread answers each question with the type that `Questions` gives for it.
    this.#take(id)?.resolve(value as never);
  }

  refused({ id, message, isPassing }: Extract<FromThread, { kind: 'unanswered' }>): void {
    this.#take(id)?.reject(new CodedError(isPassing ? 'store-unavailable' : 'internal', message));
  }

  /** The thread that was asked is gone. */
  abandon(): void {
    const error = new CodedError('store-unavailable', 'the store went away before it answered');
    for (const open of this.#open.values()) open.reject(error);
    this.#open.clear();
  }

  #take(id: number): Open | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }
}
