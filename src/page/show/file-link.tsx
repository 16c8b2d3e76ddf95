import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { addressOf } from '../api/address.ts';
import { call } from '../api/call.ts';
import { isDone } from '../app/tell-outcome.ts';
import { language } from '../words/words.ts';

/** The gateway writes years of records. */
const TIMEOUT_MS = 3 * 60_000;

interface FileLinkProps {
  /** Below `/api/local`. */
  readonly path: string;
  readonly class: string;
  readonly label?: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/**
 * A link to a table of the gateway, in the form that a spreadsheet of the page's language reads. The page itself loads the file: a browser that follows the link shows its own error, or
 * the refusal as JSON, in place of the page. It stays a link: it can be opened in another tab.
 */
export function FileLink({ path, class: name, label, title, children }: FileLinkProps) {
  const isLoading = useSignal(false);
  const file = `${path}${path.includes('?') ? '&' : '?'}for=spreadsheet&language=${language.value}`;
  const load = async (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (isLoading.value) return;
    isLoading.value = true;
    const outcome = await call('GET', file, undefined, TIMEOUT_MS);
    isLoading.value = false;
    isDone(outcome);
  };
  return (
    <a
      class={name}
      href={addressOf(`/api/local${file}`)}
      aria-label={label}
      aria-busy={isLoading.value}
      title={title}
      onClick={(event) => void load(event)}
    >
      {children}
    </a>
  );
}
