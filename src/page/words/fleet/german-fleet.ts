import type { Shape } from '../english.ts';
import type { englishFleet } from './english-fleet.ts';

export const germanFleet: Shape<typeof englishFleet> = {
  all: (count) => `Alle ${count}`,
  look: (count) => `Genauer ansehen: ${count}`,
  columns: {
    name: 'Werk, Gateway',
    need: 'Brauchen jemanden',
    contact: 'Letzter Kontakt',
    waiting: 'Datensätze warten',
    clock: 'Uhr falsch um',
    disk: 'Datenträger frei',
    version: 'Version',
  },
  openAlerts: 'Offene Alarme',
  rename: 'Namen ändern',
  retire: 'Dieses Gateway entfernen',
  retireMeans:
    'Es steht in keiner Liste mehr, und seine Id ist frei. Was seine Maschinen gemacht haben, bleibt, bis es alt ist.',
};
