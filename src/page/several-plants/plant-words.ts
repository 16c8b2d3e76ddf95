import { computed } from '@preact/signals';
import { englishPlants } from '../words/fleet/english-plants.ts';
import { germanPlants } from '../words/fleet/german-plants.ts';
import { language } from '../words/words.ts';

/** The texts about several plants in the chosen language. */
export const plantWords = computed(() => (language.value === 'de' ? germanPlants : englishPlants));
