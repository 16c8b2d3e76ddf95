import { HOUR_MS, MINUTE_MS } from '../time.ts';
import { type AlertCause, severityOf, type Telling } from './alert.ts';

/** The languages of messages. The page says the same sentences. */
export type AlertLanguage = 'en' | 'de';

type Sentence = (cause: AlertCause, lasted: string, number: (value: number) => string) => string;

/** The fault of the database. */
export type DatabaseFault = 'setAside' | 'damagedRecords' | 'atRisk' | 'full' | 'failing';

const DATABASE_FAULTS = {
  en: {
    setAside: 'it was damaged, and a new one was begun',
    damagedRecords: 'some records cannot be read',
    atRisk: 'its settings or its clock endanger records',
    full: 'its disk is full',
    failing: 'its disk fails',
  },
  de: {
    setAside: 'sie war beschädigt, eine neue wurde begonnen',
    damagedRecords: 'manche Datensätze sind nicht lesbar',
    atRisk: 'ihre Einstellungen oder ihre Uhr gefährden Datensätze',
    full: 'ihr Datenträger ist voll',
    failing: 'ihr Datenträger versagt',
  },
} as const;

function databaseFault(detail: string | null): DatabaseFault {
  return detail !== null && Object.hasOwn(DATABASE_FAULTS.en, detail) ? (detail as DatabaseFault) : 'failing';
}

const EXPIRY = {
  en: {
    over: 'has expired',
    soon: 'expires within 24 h',
    inDays: (days: number) => `expires in ${days} ${days === 1 ? 'day' : 'days'}`,
  },
  de: {
    over: 'ist abgelaufen',
    soon: 'läuft in weniger als 24 h ab',
    inDays: (days: number) => `läuft in ${days} ${days === 1 ? 'Tag' : 'Tagen'} ab`,
  },
} as const;

/** When a certificate expires, in whole days from now; below 0: it has expired. */
function expiry({ value: days }: Pick<AlertCause, 'value'>, language: AlertLanguage): string {
  const { over, soon, inDays } = EXPIRY[language];
  if (days === null || days < 0) return over;
  return days === 0 ? soon : inDays(days);
}

const ENGLISH: Readonly<Record<AlertCause['kind'], Sentence>> = {
  held: ({ name }, lasted) => `${name} stands for ${lasted}`,
  fault: ({ name }, lasted) => `${name} reports a fault for ${lasted}`,
  silent: ({ name }, lasted) => `${name} has not responded for ${lasted}`,
  variable: ({ name, detail, side, value, limit }, _, number) =>
    `${detail} of ${name} ${side} ${number(limit)}${value === null ? '' : `: ${number(value)}`}`,
  scrap: ({ name, value }, _, number) => `${name}: ${number(value ?? 0)}% scrap in an hour`,
  taskLate: ({ subject, detail }, lasted) => `${subject} is ${lasted} late for ${detail}`,
  queueOld: (_, lasted) => `Records have waited for the central server for ${lasted}`,
  disk: ({ value }, _, number) => `The disk has ${number(value ?? 0)}% left`,
  backup: ({ value }, _, number) =>
    value === null ? 'There is no backup' : `The newest backup is ${number(value)} h old`,
  certificate: (cause) => `The certificate of ${cause.subject} ${expiry(cause, 'en')}`,
  clock: ({ value }, _, number) => `The clock of the gateway jumped by ${number(value ?? 0)} s`,
  database: ({ detail }) => `The database of the gateway needs a person: ${DATABASE_FAULTS.en[databaseFault(detail)]}`,
  channel: ({ name }, lasted) => `Messages by “${name}” have not arrived for ${lasted}`,
  gatewaySilent: ({ name }, lasted) => `Gateway ${name} has not been heard for ${lasted}`,
  gatewayDisk: ({ name, value }, _, number) => `The disk of gateway ${name} has ${number(value ?? 0)}% left`,
  gatewayClock: ({ name, value, side }, _, number) =>
    `The clock of gateway ${name} is ${number(value ?? 0)} s ${side === 'over' ? 'ahead' : 'behind'}`,
  gatewayQueue: ({ name }, lasted) => `Records have waited at gateway ${name} for ${lasted}`,
  gatewaySetAside: ({ name, value }, _, number) =>
    `Gateway ${name} has records that were refused here: ${number(value ?? 0)}`,
  gatewayBackup: ({ name, value }, _, number) =>
    value === null ? `Gateway ${name} has no backup` : `The newest backup of gateway ${name} is ${number(value)} h old`,
  gatewayCertificate: (cause) => `A certificate of gateway ${cause.name} ${expiry(cause, 'en')}`,
  gatewayVersion: ({ name, detail }) => `Gateway ${name} has an older version: ${detail}`,
};

const GERMAN: Readonly<Record<AlertCause['kind'], Sentence>> = {
  held: ({ name }, lasted) => `${name} steht seit ${lasted}`,
  fault: ({ name }, lasted) => `${name} meldet seit ${lasted} eine Störung`,
  silent: ({ name }, lasted) => `${name} meldet sich seit ${lasted} nicht`,
  variable: ({ name, detail, side, value, limit }, _, number) => {
    const word = side === 'under' ? 'unter' : 'über';
    return `${detail} von ${name} ${word} ${number(limit)}${value === null ? '' : `: ${number(value)}`}`;
  },
  scrap: ({ name, value }, _, number) => `${name}: ${number(value ?? 0)} % Ausschuss in einer Stunde`,
  taskLate: ({ subject, detail }, lasted) => `${subject} ist ${lasted} zu spät für ${detail}`,
  queueOld: (_, lasted) => `Datensätze warten seit ${lasted} auf den Zentralserver`,
  disk: ({ value }, _, number) => `Der Datenträger hat noch ${number(value ?? 0)} % frei`,
  backup: ({ value }, _, number) =>
    value === null ? 'Es gibt keine Sicherung' : `Die neueste Sicherung ist ${number(value)} h alt`,
  certificate: (cause) => `Das Zertifikat von ${cause.subject} ${expiry(cause, 'de')}`,
  clock: ({ value }, _, number) => `Die Uhr des Gateways sprang um ${number(value ?? 0)} s`,
  database: ({ detail }) => `Die Datenbank des Gateways braucht jemanden: ${DATABASE_FAULTS.de[databaseFault(detail)]}`,
  channel: ({ name }, lasted) => `Meldungen über „${name}“ kommen seit ${lasted} nicht an`,
  gatewaySilent: ({ name }, lasted) => `Gateway ${name} meldet sich seit ${lasted} nicht`,
  gatewayDisk: ({ name, value }, _, number) =>
    `Der Datenträger von Gateway ${name} hat noch ${number(value ?? 0)} % frei`,
  gatewayClock: ({ name, value, side }, _, number) =>
    `Die Uhr von Gateway ${name} geht ${number(value ?? 0)} s ${side === 'over' ? 'vor' : 'nach'}`,
  gatewayQueue: ({ name }, lasted) => `An Gateway ${name} warten Datensätze seit ${lasted}`,
  gatewaySetAside: ({ name, value }, _, number) =>
    `Gateway ${name} hat Datensätze, die hier abgelehnt wurden: ${number(value ?? 0)}`,
  gatewayBackup: ({ name, value }, _, number) =>
    value === null
      ? `Gateway ${name} hat keine Sicherung`
      : `Die neueste Sicherung von Gateway ${name} ist ${number(value)} h alt`,
  gatewayCertificate: (cause) => `Ein Zertifikat von Gateway ${cause.name} ${expiry(cause, 'de')}`,
  gatewayVersion: ({ name, detail }) => `Gateway ${name} hat eine ältere Version: ${detail}`,
};

/** Each takes 20 µs to make. */
const NUMBERS = {
  en: new Intl.NumberFormat('en', { maximumFractionDigits: 1 }),
  de: new Intl.NumberFormat('de', { maximumFractionDigits: 1 }),
} as const;

const SENTENCES = { en: ENGLISH, de: GERMAN } as const;

/** The cause of an alert in one sentence. `lastedMs` is how long the cause has lasted. */
export function alertSentence(cause: AlertCause, lastedMs: number, language: AlertLanguage): string {
  const number = (value: number) => NUMBERS[language].format(value);
  return SENTENCES[language][cause.kind](cause, durationText(lastedMs), number);
}

/** `24 min`, or `2 h 30` from an hour on. */
export function durationText(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / MINUTE_MS);
  if (ms < HOUR_MS) return `${minutes} min`;
  const left = minutes % 60;
  return left === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${left}`;
}

/** One line of a message. */
export interface MessageLine {
  readonly alertId: string;
  readonly telling: Telling;
  readonly severity: 'red' | 'amber';
  readonly text: string;
}

/** An alert as a message tells it. */
export interface ToldAlert extends AlertCause {
  readonly alertId: string;
  readonly beganAt: number;
  readonly endedAt: number | null;
  readonly takenBy: string | null;
}

const LEADS = {
  en: { opened: '', escalated: 'Nobody has taken it: ', taken: '', over: 'Over: ' },
  de: { opened: '', escalated: 'Niemand hat ihn übernommen: ', taken: '', over: 'Vorbei: ' },
} as const;

/** The line of a message about one alert. */
export function messageLine(alert: ToldAlert, telling: Telling, wallMs: number, language: AlertLanguage): MessageLine {
  const sentence = alertSentence(alert, (alert.endedAt ?? wallMs) - alert.beganAt, language);
  const taken = language === 'en' ? `${alert.takenBy} takes it: ` : `${alert.takenBy} übernimmt: `;
  const lead = telling === 'taken' ? taken : LEADS[language][telling];
  return { alertId: alert.alertId, telling, severity: severityOf(alert), text: `${lead}${sentence}` };
}

/** The lines that one message has; the others are told as a number. */
export const MAX_MESSAGE_LINES = 20;

/** The text of a message: a title, and its lines if they are several. */
export function messageText(lines: readonly MessageLine[], language: AlertLanguage) {
  const [first] = lines;
  if (lines.length === 1 && first !== undefined) return { title: first.text, lines: [] };
  const opened = lines.filter(({ telling }) => telling === 'opened' || telling === 'escalated').length;
  const title =
    language === 'en'
      ? `${opened} ${opened === 1 ? 'alert' : 'alerts'}, ${lines.length - opened} more to know`
      : `${opened} ${opened === 1 ? 'Alarm' : 'Alarme'}, ${lines.length - opened} weitere Meldungen`;
  const allOpened = language === 'en' ? `${opened} alerts` : `${opened} Alarme`;
  const shown = lines.slice(0, MAX_MESSAGE_LINES).map(({ text }) => text);
  const left = lines.length - shown.length;
  const more = language === 'en' ? `and ${left} more` : `und ${left} weitere`;
  return { title: opened === lines.length ? allOpened : title, lines: left > 0 ? [...shown, more] : shown };
}
