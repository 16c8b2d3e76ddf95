import type { Words } from './english.ts';

/** The texts of Profiles, and of their way to machines. */
export const germanProfiles: Pick<Words, 'profiles' | 'delivery'> = {
  profiles: {
    answer: (count) => (count === 1 ? '1 Profil' : `${count} Profile`),
    find: 'Name, Notiz oder Kategorie',
    all: 'Alle',
    none: 'Kein Profil hat diesen Text',
    noneYet: 'Noch kein Profil ist hier',
    noneHint: 'Das ERP legt Profile an, oder die Plant-Datei.',
    revision: (revision, name) => `Stand ${revision}, von ${name}`,
    drawing: 'Zeichnung',
    blankWidth: 'Zuschnitt',
    painted: (side) => `lackierte Seite ${side}`,
    tapBend: 'Hier oder in der Liste antippen; das andere zeigt es.',
    name: 'Name',
    note: 'Notiz für den Bediener',
    save: 'Neuen Stand sichern',
    discard: 'Verwerfen',
    saved: (revision) => `Stand ${revision} ist gesichert`,
    goesToMachines: 'Maschinen bekommen ihn mit ihrer nächsten Anfrage.',
    bends: 'Biegungen, der Reihe nach',
    features: (count) => `${count} Elemente`,
    addBend: 'Biegung anfügen',
    removeBend: 'Entfernen',
    types: {
      Straight: 'Gerade',
      Angle: 'Kante',
      Radius: 'Radius',
      OpenHem: 'Offener Umschlag',
      ClosedHem: 'Geschlossener Umschlag',
      TearDropHem: 'Tropfenumschlag',
    },
    numbers: { length: 'Länge', angle: 'Winkel', radius: 'Radius', hemHeight: 'Höhe', hemClampOffset: 'Klemmung' },
  },
  delivery: {
    open: 'Nicht auf der Maschine?',
    title: (profile) => `Ist ${profile} nicht auf einer Maschine?`,
    which: 'Welche Maschine soll es haben?',
    allHold: 'Alle fünf Prüfungen stimmen. Die Maschine hat es oder bekommt es mit ihrer nächsten Anfrage.',
    fails: (check) => `Zuerst zu beheben: ${check}`,
    checks: {
      catalog: 'Die Maschine holt den Katalog dieses Profils',
      fetched: 'Die Maschine hat seit der letzten Änderung angefragt',
      standing: 'Die Maschine ist weder gesperrt noch außer Betrieb',
      archived: 'Das Profil ist nicht archiviert',
      stored: 'Das Profil ist mit Katalog und Zuschnitt gespeichert',
    },
    catalogs: (own, fetched) =>
      fetched === ''
        ? `Es liegt in ${own}. Die Maschine holt keinen.`
        : `Es liegt in ${own}. Die Maschine holt ${fetched}.`,
    noSerialNumber: 'Die Maschine hat keine Seriennummer und kann nicht anfragen',
    neverFetched: 'Sie hat seit dem Start des Gateways nicht angefragt',
    fetchedAt: (time) => `Zuletzt angefragt ${time}`,
    standings: { active: 'aktiv', blocked: 'gesperrt', inactive: 'außer Betrieb' },
    isArchived: 'archiviert',
    isNotArchived: 'in Gebrauch',
    move: (catalog) => `In ${catalog} verschieben`,
  },
};
