import { Icon } from '../show/icon.tsx';
import { chooseLanguage, language, words } from '../words/words.ts';

/** Changes the language of the page. `class`: more than that of a button. */
export function LanguageButton({ class: more = '' }: { readonly class?: string }) {
  return (
    <button type="button" class={`btn ${more}`} onClick={() => chooseLanguage(language.value === 'en' ? 'de' : 'en')}>
      <Icon name="globe" />
      {words.value.places.language}
    </button>
  );
}
