import type { ComponentChildren } from 'preact';

interface ScrollSectionProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A section that scrolls by itself when it is wider than the screen, by keyboard as well. */
export function ScrollSection({ label, class: more = '', children }: ScrollSectionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section class={`scroll-x ${more}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
