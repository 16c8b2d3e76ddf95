import { computed } from '@preact/signals';
import { englishFleet } from '../../words/fleet/english-fleet.ts';
import { germanFleet } from '../../words/fleet/german-fleet.ts';
import { language } from '../../words/words.ts';

/** The texts of the place Plants in the chosen language. */
export const fleetWords = computed(() => (language.value === 'de' ? germanFleet : englishFleet));
