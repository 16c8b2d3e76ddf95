import { Frame } from '../../app/frame.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** Shown for an address that names no place: it was mistyped, or came from a damaged label. */
export function Nowhere() {
  const { places: said } = words.value;
  return (
    <Frame answer={said.nowhere} more={said.nowhereHint}>
      <Link to={{ place: 'andon' }} class="btn btn-main btn-start">
        {said.toAndon}
      </Link>
    </Frame>
  );
}
