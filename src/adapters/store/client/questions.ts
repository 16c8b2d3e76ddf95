import { CodedError } from '../../../domain/error.ts';
import type { FromThread, QuestionName, StoreQuestions, ToThread } from '../protocol.ts';
import { questions } from '../questions.ts';

/** The number of questions under way at once; further ones are refused. */
const MAX_OPEN_QUESTIONS = 1_000;

export type Ask = Extract<ToThread, { kind: 'ask' }>;

/** The store thread as the main thread calls it. */
abstract class Asking {
  abstract ask(question: QuestionName, args: readonly unknown[]): Promise<unknown>;
}

for (const question of Object.keys(questions) as QuestionName[]) {
  Object.defineProperty(Asking.prototype, question, {
    value(this: Asking, ...args: readonly unknown[]) {
      return this.ask(question, args);
    },
  });
}

/**
 * A class with a method for each question of the table, which asks it. The cast is safe: the loop above made a method for
 * each question.
 */
export const AskingStore = Asking as unknown as abstract new () => Asking & StoreQuestions;

interface Open {
  readonly resolve: (value: unknown) => void;
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

  ask(question: QuestionName, args: readonly unknown[]): Promise<unknown> {
    if (this.#open.size >= MAX_OPEN_QUESTIONS) {
      return Promise.reject(new CodedError('store-unavailable', `${MAX_OPEN_QUESTIONS} questions wait for the store`));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#post({ kind: 'ask', id, question, args });
    });
  }

  /** There was no thread to ask. */
  unsent(id: number): void {
    this.#take(id)?.reject(new CodedError('store-unavailable', 'the store is being restarted'));
  }

  answered(id: number, value: unknown): void {
    this.#take(id)?.resolve(value);
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
