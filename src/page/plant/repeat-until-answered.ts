import { mayAnswerLater, type Outcome } from '../api/call.ts';

const AGAIN_AFTER_MS = 2_000;

/** Makes a load that is repeated until it has an answer. A hidden tab does not repeat it: once it is seen, all is loaded again. */
export function repeatUntilAnswered<T>(load: () => Promise<Outcome<T>>): () => Promise<Outcome<T>> {
  let again: ReturnType<typeof setTimeout> | undefined;
  const repeat = async () => {
    clearTimeout(again);
    const outcome = await load();
    clearTimeout(again);
    if (mayAnswerLater(outcome)) again = setTimeout(() => !document.hidden && void repeat(), AGAIN_AFTER_MS);
    return outcome;
  };
  return repeat;
}
