import type { englishPlants } from './english-plants.ts';

export const germanPlants: typeof englishPlants = {
  plant: 'Werk',
  choose: (name) => `Werk: ${name}. Ein anderes zeigen`,
  another: 'Welches Werk?',
  foreign: 'Das Werk in dieser Adresse gehört nicht zu Ihren',
  foreignHint: 'Diese können Sie ansehen:',
  none: 'Sie können kein Werk dieses Servers ansehen. Das kann ein Administrator ändern.',
  plants: 'Werke',
  all: 'Alle Werke',
};
