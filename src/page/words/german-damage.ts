import type { Words } from './english.ts';

/** The texts about a damaged database, in German. */
export const germanDamage: Pick<Words, 'damage'> = {
  damage: {
    heading: 'Beschädigte Datenbank',
    title: (time) =>
      time === null
        ? 'Die Datenbank war beschädigt. Eine neue wurde begonnen.'
        : `Die Datenbank war beschädigt (${time}). Eine neue wurde begonnen.`,
    allSaved: 'Alles konnte gerettet werden. Die Maschinen laufen weiter.',
    lost: (count) =>
      count === 1
        ? 'Eine Art von Daten konnte nicht gerettet werden. Die Maschinen laufen weiter.'
        : `${count} Arten von Daten konnten nicht gerettet werden. Die Maschinen laufen weiter.`,
    open: 'Was verloren ging',
    everything: 'Alles',
    table: (table) =>
      ({
        plant: 'Maschinen, Personen, Schlüssel, Gründe',
        alert_setting: 'Regeln der Alarme, Kanäle, und wer es erfährt',
        alert: 'Alarme',
        alert_message: 'Meldungen von Alarmen, die warteten',
        person_session: 'Wer angemeldet ist',
        coil: 'Coils',
        task: 'Fahraufträge',
        profile: 'Profile',
        customer_order: 'Aufträge',
        order_row: 'Zeilen von Aufträgen',
        machine_part: 'Teile, die Maschinen fertigen',
        machine_state: 'Zähler der Maschinen',
        shift_totals: 'Produktion nach Schicht',
        shift_summary: 'Summen der Schichten',
        production_quarter: 'Produktion nach Stunde',
        downtime: 'Stillstände und ihre Gründe',
        span: 'Zeitverläufe',
        override_span: 'Überbrückungen',
        work_session: 'Arbeitssitzungen',
        queue: 'Datensätze, die auf den zentralen Server warteten',
        set_aside: 'Datensätze, die der zentrale Server ablehnte',
        legacy_write: 'Begonnene Schreibvorgänge ins Altsystem',
        broker_row: 'Nachrichten, auf die MQTT-Clients warten',
        sync_stream: 'Was der zentrale Server schon hat',
        catalog_subscription: 'Kataloge, die Maschinen holen',
        anomaly: 'Gefallene Zähler',
        audit: 'Wer was tat',
        variable_block: 'Prozesswerte',
        variable_recent: 'Die neuesten Prozesswerte',
        received_machine: 'Maschinen anderer Gateways',
        received_session: 'Arbeitssitzungen anderer Gateways',
        received_shift: 'Produktion anderer Gateways',
      })[table] ?? table,
    liesAt: 'Die alte Datei liegt unter',
    toDo: [
      'Die alte Datei auf einen anderen Datenträger kopieren. Den Datenträger des Gateways prüfen: „plantgate doctor“.',
      'Wird das Verlorene gebraucht: Gateway anhalten und die letzte Sicherung einspielen: „plantgate restore DATEI“.',
      'Danach die alte Datei löschen oder verschieben. Dieser Hinweis endet mit dem nächsten Start.',
    ],
  },
};
