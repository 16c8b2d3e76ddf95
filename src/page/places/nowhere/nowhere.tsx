import { Frame } from '../../app/frame.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** Shown for an address that names no place: it was mistyped, or came from a damaged label. */
export function Nowhere() {
  const { places: texts } = words.value;
  return (
    <Frame answer={texts.nowhere} more={texts.nowhereHint}>
      <Link to={{ place: 'andon' }} class="btn btn-main btn-start">
        {texts.toAndon}
      </Link>
    </Frame>
  );
}
