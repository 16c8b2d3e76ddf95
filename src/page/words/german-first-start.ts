import type { Words } from './english.ts';

export const germanFirstStart: Pick<Words, 'starterReasons'> = {
  starterReasons: {
    title: 'Es sind keine Gründe für Stillstände eingerichtet',
    why: 'Eine Maschine, die stand, wartet, bis jemand den Grund nennt. Diese zehn sind üblich. Unter Verwalten → Gründe lassen sich weitere hinzufügen, und jeder ändern oder archivieren.',
    take: 'Diese zehn übernehmen',
    taken: 'Zehn Gründe sind eingerichtet',
    takenHint: 'Unter Verwalten → Gründe lassen sie sich ändern.',
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

const NOT_AUTHENTIC =
  'Keine Zertifizierungsstelle, die dieses Gateway kennt, hat es ausgestellt. Dem Server ein Zertifikat einer öffentlichen Stelle geben, oder dem Gateway die Datei der eigenen Stelle in NODE_EXTRA_CA_CERTS nennen.';
const NO_TLS = 'Dieser Port spricht kein TLS. http:// statt https:// eingeben, oder den Port für https.';
const NO_WAY = 'Zu dieser Adresse führt keine Route. Kabel, Adresse und Routen des Gateway-Rechners prüfen.';
const CUT =
  'Er hat die Verbindung sofort beendet. Vielleicht spricht dieser Port https, oder ein anderes Programm benutzt ihn.';
const NO_ANSWER = 'Er hat nicht rechtzeitig geantwortet. Adresse und Kabel prüfen, und Firewalls auf dem Weg.';
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'An dieser Adresse und diesem Port lauscht kein Programm. Prüfen, ob der Port stimmt und der Server läuft.',
  ENOTFOUND: 'Sein Name ist in diesem Netz nicht bekannt. Die Schreibweise prüfen, und das DNS des Gateway-Rechners.',
  EAI_AGAIN: 'Kein DNS-Server antwortet. Das Netz des Gateway-Rechners prüfen.',
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  ECONNRESET: CUT,
  UND_ERR_SOCKET: CUT,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_AUTHENTIC,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_AUTHENTIC,
  UNABLE_TO_GET_ISSUER_CERT: NOT_AUTHENTIC,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_AUTHENTIC,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'Der Server sendet die Zertifikate zwischen seinem und dem der Zertifizierungsstelle nicht mit, oder dieses Gateway kennt die Stelle nicht. Den Server die ganze Kette senden lassen, oder dem Gateway die Datei der Stelle in NODE_EXTRA_CA_CERTS nennen.',
  CERT_HAS_EXPIRED: 'Es ist abgelaufen. Am Server erneuern, oder die Uhr des Gateway-Rechners richtig stellen.',
  CERT_NOT_YET_VALID: 'Es gilt noch nicht. Die Uhr des Gateway-Rechners oder des Servers richtig stellen.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Es gilt für einen anderen Namen. Die Adresse mit einem Namen aus dem Zertifikat eingeben, oder dem Server eines für diesen Namen geben.',
};

export const serverFaultInGerman = (code: string): string => FAULTS[code] ?? '';
