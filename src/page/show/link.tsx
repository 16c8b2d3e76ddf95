import type { ComponentChildren } from 'preact';
import { choose, pathOf, type Route } from '../app/route.ts';

interface LinkProps {
  readonly to: Route;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link to a place. It stays a link: it can be opened in another tab. */
export function Link({ to, class: name, current = false, label, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(to);
  };
  return (
    <a href={pathOf(to)} class={name} aria-current={current ? 'page' : undefined} aria-label={label} onClick={follow}>
      {children}
    </a>
  );
}
