import icons from '../style/icons.svg?url';

/** An icon of the sprite. It is hidden from readers: a word always stands beside it. */
export function Icon({ name, large = false }: { readonly name: string; readonly large?: boolean }) {
  return (
    <svg class={large ? 'ic ic-xl' : 'ic'} aria-hidden="true">
      <use href={`${icons}#i-${name}`} />
    </svg>
  );
}
