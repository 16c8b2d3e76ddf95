import { computed, signal } from '@preact/signals';
import { keepChoice, keptChoice } from '../app/kept-choice.ts';
import { english, type Words } from './english.ts';
import { german } from './german.ts';

export type Language = 'en' | 'de';

const DICTIONARIES: Readonly<Record<Language, Words>> = { en: english, de: german };
const STORED_AS = 'language';

export const language = signal<Language>(chosenLanguage());

/** The texts of the page in the chosen language. */
export const words = computed(() => DICTIONARIES[language.value]);

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
  keepChoice(STORED_AS, chosen);
}

function chosenLanguage(): Language {
  const chosen = keptChoice(STORED_AS) ?? navigator.language;
  return chosen.startsWith('de') ? 'de' : 'en';
}
