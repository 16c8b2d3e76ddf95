import { Icon } from './icon.tsx';

interface ScanPromptProps {
  readonly title: string;
  readonly hint: string;
  /** Screen readers read it when it changes. */
  readonly isLive?: boolean;
}

/** Says that the place listens for a scan. */
export function ScanPrompt({ title, hint, isLive = false }: ScanPromptProps) {
  return (
    <section class="scan scan-s" aria-live={isLive ? 'polite' : undefined}>
      <Icon name="scan" />
      <span>
        <b>{title}</b>
        <br />
        <span class="dim">{hint}</span>
      </span>
    </section>
  );
}
