/** The commonest troubles with their remedies. The gateway's English words stand below with topic, field and value. */
const EXPLAINED: Readonly<Record<string, string>> = {
  malformed:
    'Der Inhalt lässt sich nicht lesen und zählt nicht: am Gerät berichtigen. Unten stehen Feld, Wert und Regel.',
  tolerated: 'Wurde gelesen und zählt, ist aber nicht sauber: am Gerät berichtigen.',
  unmatchedTopic: 'Keine Maschine hat dieses Topic: Schreibweise und Topic-Wurzel am Gerät prüfen.',
  unmatchedSubscription:
    'Das Abonnement trifft keinen Befehl, die Maschine hört also nichts: den Filter am Gerät berichtigen.',
  unknownDevice: 'Die Id ist nicht eingerichtet: unter Verwalten aufnehmen, oder die Id am Gerät berichtigen.',
  rateLimited:
    'Es sendet schneller als erlaubt: alle 500 ms genügt. Der neueste Stand gilt; von den Zählern geht nichts verloren.',
  forbiddenPublish:
    'Eine Maschine sendet nur unter ihrer eigenen Topic-Wurzel, ein MQTT-Konto nur auf seinen Topics, und Befehle sendet nur das Gateway: Topic oder Client-Id berichtigen.',
  forbiddenSubscription:
    'Das MQTT-Konto darf diese Topics nicht lesen: den Filter im Client oder die Rechte des Kontos ändern.',
  protocolViolation: 'Das ist kein gültiges MQTT auf diesem Port: Port, TLS und Version im Client prüfen.',
  brokenHttp: 'Das ist kein gültiges HTTP auf diesem Port, oder es kam zu langsam: Port und TLS im Client prüfen.',
  packetTooLarge: 'Das Paket ist größer als erlaubt: weniger auf einmal senden.',
  duplicateClientId: 'Zwei Clients verdrängen einander: jedem eine eigene Client-Id geben.',
  accessRefused: 'Die Verbindung wurde abgewiesen: Zugangsdaten, Port und TLS prüfen.',
  slowReader: 'Das Programm liest langsamer, als Nachrichten kommen: es oder seine Leitung prüfen.',
  deviceClock: 'mSecSinceBoot ging zurück, ohne dass das Gerät neu gestartet hat: eine Uhr senden, die niemand stellt.',
  counterFell:
    'Ein Zähler fiel ohne Neustart; gezählt wird vom neuen Wert an. Zähler dürfen nur mit mSecSinceBoot neu beginnen.',
  twoSenders:
    'Zwei Geräte senden unter dieser machineId. Gezählt wird erst, wenn eines 10 s still ist: jedem Gerät eine eigene machineId geben.',
  clockJump: 'Die Uhr des Computers wurde gestellt: die Zeitquelle prüfen.',
  heldUp: 'Der Computer kam kurz nicht zum Rechnen: seine Last und andere Programme prüfen.',
};

/** `meantFor`: the machine that was probably meant. */
export function explainInGerman(kind: string, meantFor: string | null): string {
  const explained = EXPLAINED[kind] ?? '';
  return meantFor === null || explained === '' ? explained : `${explained} Gemeint ist wohl ${meantFor}.`;
}
