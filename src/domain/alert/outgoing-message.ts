import type { ReportKey, ReportSheet } from '../production/report-sheet.ts';
import type { AlertLanguage, MessageLine } from './alert-words.ts';

/** A message on its way through one channel to one recipient. Times are wall-clock milliseconds since 1970. */
export interface OutgoingMessage {
  readonly messageId: string;
  readonly channelId: string;
  readonly recipientId: string;
  /** The address within the channel; null where the channel is the address. */
  readonly address: string | null;
  readonly language: AlertLanguage;
  readonly at: number;
  readonly title: string;
  readonly text: readonly string[];
  /** The alerts that it is about, for programs. */
  readonly lines: readonly MessageLine[];
  /** The report that it brings, instead of alerts. */
  readonly report?: ReportKey;
}

/** A message with the figures of its report. They are no part of it while it waits, because they may be large. */
export interface CompleteMessage extends OutgoingMessage {
  readonly sheet?: ReportSheet;
}
