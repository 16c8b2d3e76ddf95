import { words } from '../words/words.ts';

/** The gateway lists no more at once; a search finds the others. */
const MOST = 1_000;

interface MoreButtonProps {
  /** How many are shown, of how many. */
  readonly shown: number;
  readonly total: number;
  readonly onMore: () => void;
}

/** The way to the records that a list does not show yet; nothing if it shows all. */
export function MoreButton({ shown, total, onMore }: MoreButtonProps) {
  if (shown >= total) return null;
  if (shown >= MOST) return <p class="dim">{words.value.moreBySearch(shown, total)}</p>;
  return (
    <button type="button" class="btn btn-wide" onClick={onMore}>
      {words.value.moreOf(shown, total)}
    </button>
  );
}
