// Each text beside its translation: the names of the texts repeat within the reach of gzip, which saves 2 kB of the page.
import './english-alerts.ts';
import './german-alerts.ts';
import './english-damage.ts';
import './german-damage.ts';
import './english-first-start.ts';
import './german-first-start.ts';
import './english-office.ts';
import './german-office.ts';
import './english-people.ts';
import './german-people.ts';
import './english-plant-data.ts';
import './german-plant-data.ts';
import './english-production.ts';
import './german-production.ts';
import './english-warehouse.ts';
import './german-warehouse.ts';

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

/** Gives the text of an act that only a central server has, once its part of the page is loaded; empty: another act. */
export const centralAct = signal((_act: string): string => '');

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  document.documentElement.lang = chosen;
  keepChoice(STORED_AS, chosen);
}

function chosenLanguage(): Language {
  const chosen = keptChoice(STORED_AS) ?? navigator.language;
  return chosen.startsWith('de') ? 'de' : 'en';
}
