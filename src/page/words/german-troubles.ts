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

/** Kinds of records, as the gateway names them in a refusal. */
const KINDS: Readonly<Record<string, string>> = {
  machine: 'Keine Maschine',
  part: 'Kein Teil',
  profile: 'Kein Profil',
  coil: 'Kein Coil',
  task: 'Kein Fahrauftrag',
  order: 'Kein Auftrag',
  downtime: 'Kein Stillstand',
  'open alert': 'Kein offener Alarm',
  rule: 'Keine Regel',
  channel: 'Kein Kanal',
  recipient: 'Kein Empfänger',
  'sending gateway': 'Kein Gateway',
};

/** The phrases of the gateway's refusals. Values stand in quotes and stay. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/^the field (\S+)$/g, 'das Feld $1'],
  [/^alias (\S+) of (\S+)$/g, 'Alias $1 von $2'],
  [/^no status field has this name$/g, 'kein Statusfeld heißt so'],
  [/^(\S+) is read from (\S+), which comes first$/g, '$1 wird aus $2 gelesen, das zuerst kommt'],
  [/\btext of (\d+) to (\d+) characters on one line/g, 'Text von $1 bis $2 Zeichen in einer Zeile'],
  [/\btext of (\d+) to (\d+) characters/g, 'Text von $1 bis $2 Zeichen'],
  [/\bno space at its ends/g, 'ohne Leerzeichen am Rand'],
  [/\ba (?:number|whole number) from (\S+) to (\S+)/g, 'eine Zahl von $1 bis $2'],
  [/\bat least (\d+) characters?/g, 'mindestens $1 Zeichen'],
  [/\bat most (\d+) characters?/g, 'höchstens $1 Zeichen'],
  [/\bat least (\d+) entr(?:y|ies)/g, 'mindestens $1 Einträge'],
  [/\bat most (\d+) entr(?:y|ies)/g, 'höchstens $1 Einträge'],
  [/\bat most (\d+) days/g, 'höchstens $1 Tage'],
  [/\bat least\b/g, 'mindestens'],
  [/\bat most (\d+) are allowed/g, 'höchstens $1 sind erlaubt'],
  [/\bat most\b/g, 'höchstens'],
  [/\bmore than\b/g, 'mehr als'],
  [/\bless than\b/g, 'weniger als'],
  [/\bthe id of a machine/g, 'die Id einer Maschine'],
  [/\bthe id of a part of the plant/g, 'die Id eines Teils'],
  [/\bthe id of a downtime reason/g, 'die Id eines Grundes'],
  [/\bthe id of a coil/g, 'die Id eines Coils'],
  [/\bthe code of an existing location/g, 'der Code eines Ortes'],
  [/\ba location of this plant/g, 'ein Ort dieses Werks'],
  [/\ba date as YYYY-MM-DD/g, 'ein Datum als JJJJ-MM-TT'],
  [/\ba date not after to/g, 'ein Datum, das nicht nach dem Ende liegt'],
  [/\ba time as HH:MM, 00:00 to 23:59/g, 'eine Uhrzeit als HH:MM, 00:00 bis 23:59'],
  [/\ba mail address/g, 'eine Mailadresse'],
  [/\ban http:\/\/ or https:\/\/ address/g, 'eine Adresse mit http:// oder https://'],
  [/, or a topic below it without \+ and #/g, ' oder ein Topic darunter ohne + und #'],
  [/\ba name, and low or high/g, 'ein Name und eine Grenze'],
  [/\bthe machines that have the variable/g, 'die Maschinen mit dieser Größe'],
  [/\ba channel\b/g, 'ein Kanal'],
  [/\bno machine\b/g, 'keine Maschine'],
  [/\banother text\b/g, 'ein anderer Text'],
  [/\bthe unknown key /g, 'der unbekannte Schlüssel '],
  [/\ba known key\b/g, 'ein bekannter Schlüssel'],
  [/\bunknown field\b/g, 'unbekanntes Feld'],
  [/\bdid you mean ([^?]*)\?/g, 'gemeint ist wohl $1'],
  [/\bexists already\b/g, 'gibt es schon'],
  [/\bis referred to by\b/g, 'wird gebraucht von'],
  [/\bare managed by the central server: change them there/g, 'verwaltet der Zentralserver: dort ändern'],
  [
    /\bthere are (\d+) already: remove one that is not needed any more/g,
    'es sind schon $1: eines löschen, das niemand mehr braucht',
  ],
  [/\bit may be over already\b/g, 'vielleicht ist es schon vorbei'],
  [/\btry again in a few seconds\b/g, 'in einigen Sekunden noch einmal versuchen'],
  [/\bToo many .+ at once\b/g, 'Zu vieles auf einmal'],
  [/\beach once\b/g, 'jedes nur einmal'],
  [/\btrue or false\b/g, 'true oder false'],
  [/\bor more\b/g, 'oder mehr'],
  [/\bor null\b/g, 'oder null'],
  [/ or /g, ' oder '],
  [/\bfound nothing\b/g, 'gefunden nichts'],
  [/\bfound\b/g, 'gefunden'],
  [/\bexpected\b/g, 'erwartet'],
  [/\bnumber\b/g, 'Zahl'],
  [/\btext\b/g, 'Text'],
];
const QUOTED = /("(?:[^"\\]|\\.)*")/;

/** A refusal of the gateway in German: `gefunden 2000, erwartet eine Zahl von 0 bis 1440`. Unknown phrases stay. */
export function refuseInGerman(sentence: string): string {
  const parts = sentence.split(QUOTED).map((part, place) => {
    if (place % 2 === 1) return part;
    const [, kind = ''] = /^No ([a-z ]+) with id $/.exec(part) ?? [];
    if (kind !== '') return `${KINDS[kind] ?? `Nichts der Art ${kind}`} mit der Id `;
    return PHRASES.reduce((text, [phrase, german]) => text.replaceAll(phrase, german), part);
  });
  return parts.join('');
}
