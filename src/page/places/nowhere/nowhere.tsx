import { Frame } from '../../app/frame.tsx';
import { Link } from '../../show/link.tsx';
import { words } from '../../words/words.ts';

/** The address is mistyped, or a label is torn. */
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
