import type { Words } from './english.ts';

export const germanFirstStart: Pick<Words, 'starterReasons'> = {
  starterReasons: {
    title: 'Es sind keine Gründe für Stillstände eingerichtet',
    why: 'Eine Maschine, die stand, wartet, bis jemand den Grund nennt. Diese zehn sind üblich. Unter Verwalten → Gründe kommen andere dazu, und jeder lässt sich entfernen.',
    take: 'Diese zehn übernehmen',
    taken: 'Zehn Gründe sind eingerichtet',
    takenHint: 'Verwalten → Gründe fügt hinzu und entfernt.',
    reasons: {
      coilChange: 'Coilwechsel',
      setUp: 'Profilwechsel, Rüsten',
      jam: 'Materialstau',
      tool: 'Werkzeug oder Messer defekt',
      noMaterial: 'Kein Material',
      noOrder: 'Kein Auftrag',
      cleaning: 'Reinigung, Wartung',
      break: 'Pause',
      drive: 'Antrieb gestört',
      electrical: 'Elektrik gestört',
    },
    groups: { planned: 'Geplant', setUp: 'Setup', breakdown: 'Störung', waiting: 'Warten' },
  },
};
