import icons from '../style/icons.svg?url';

/** An icon of the sprite. It is hidden from readers: a word always stands beside it. */
export function Icon({ name, kind }: { readonly name: string; readonly kind?: 'xl' | 'turn' }) {
  return (
    <svg class={kind === undefined ? 'ic' : `ic ic-${kind}`} aria-hidden="true">
      <use href={`${icons}#i-${name}`} />
    </svg>
  );
}
