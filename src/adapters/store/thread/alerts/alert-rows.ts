import type { AlertMemory, AlertQueries, AlertRecord } from '../../../../flows/alert/alert-ports.ts';
import type { Answered } from '../../protocol.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { alert, alertMessage, alertSetting } from '../database/schema/alerts.ts';

/** Alerts that are kept. Beyond it the oldest that are over are dropped, before the retention would. */
export const MAX_KEPT_ALERTS = 50_000;

/** Whether a record is about alerts. */
export function isAlertRecord(record: { readonly kind: string }): record is AlertRecord {
  return record.kind === 'alert' || record.kind === 'alertMessage' || record.kind === 'alertSetting';
}

/** Alerts, their settings and their messages. Each record replaces the one under its key. */
export class AlertRows {
  readonly #connection: Connection;
  readonly #putAlert;
  readonly #bound;
  readonly #putMessage;
  readonly #putSetting;
  readonly #removeMessage;
  readonly #removeSetting;
  readonly #past;
  readonly #counts;
  readonly #causeCounts;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#putAlert = insertInto(connection, alert, {
      without: ['number'],
      onConflict:
        'ON CONFLICT (alert_id) DO UPDATE SET ended_at = excluded.ended_at, is_owed = excluded.is_owed, json = excluded.json',
    });
    this.#bound = connection.prepare<[number]>(
      'DELETE FROM alert WHERE number <= (SELECT max(number) FROM alert) - ? AND ended_at IS NOT NULL',
    );
    this.#putMessage = insertInto(connection, alertMessage, { or: 'REPLACE' });
    this.#putSetting = insertInto(connection, alertSetting, { or: 'REPLACE' });
    this.#removeMessage = connection.prepare<[string]>('DELETE FROM alert_message WHERE message_id = ?');
    this.#removeSetting = connection.prepare<[string, string]>('DELETE FROM alert_setting WHERE kind = ? AND id = ?');
    this.#past = connection
      .prepare<[number, number, number, number], string>(
        `SELECT json FROM alert WHERE ended_at IS NOT NULL AND opened_at >= ? AND opened_at < ?
         ORDER BY opened_at DESC, number DESC LIMIT ? OFFSET ?`,
      )
      .pluck();
    this.#counts = connection.prepare<[number], Answered<'alertCounts'>[number]>(
      'SELECT rule_id AS ruleId, count(*) AS count FROM alert WHERE opened_at >= ? GROUP BY rule_id',
    );
    this.#causeCounts = connection.prepare<[number], Answered<'alertCauseCounts'>[number]>(
      `SELECT rule_id AS ruleId, json ->> 'kind' AS kind, json ->> 'subject' AS subject, json ->> 'machineId' AS machineId,
         count(*) AS count
       FROM alert WHERE opened_at >= ? AND json_valid(json) GROUP BY 1, 2, 3, 4`,
    );
  }

  /** To be called within a transaction. */
  write(record: AlertRecord): void {
    switch (record.kind) {
      case 'alert': {
        const { alertId, ruleId, openedAt, endedAt, owed } = record.alert;
        const isOwed = owed.length > 0 ? 1 : 0;
        this.#putAlert({ alertId, ruleId, openedAt, endedAt, isOwed, json: JSON.stringify(record.alert) });
        this.#bound.run(MAX_KEPT_ALERTS);
        return;
      }
      case 'alertMessage': {
        const { messageId, json } = record;
        if (json === null) this.#removeMessage.run(messageId);
        else this.#putMessage({ messageId, json });
        return;
      }
      case 'alertSetting': {
        const { of: kind, id, json } = record;
        if (json === null) this.#removeSetting.run(kind, id);
        else this.#putSetting({ kind, id, json });
      }
    }
  }

  memory(): AlertMemory {
    const rowsOf = <Row>(sql: string) => this.#connection.prepare<[], Row>(sql).all();
    return {
      settings: rowsOf('SELECT kind, id, json FROM alert_setting ORDER BY kind, id'),
      alerts: rowsOf(
        `SELECT alert_id AS id, json FROM alert WHERE ended_at IS NULL
         UNION ALL SELECT alert_id, json FROM alert WHERE is_owed = 1 AND ended_at IS NOT NULL`,
      ),
      messages: rowsOf('SELECT message_id AS id, json FROM alert_message ORDER BY message_id'),
    };
  }

  past(...[since, before, { skip, take }]: Parameters<AlertQueries['pastAlerts']>): readonly string[] {
    return this.#past.all(since, before ?? Number.MAX_SAFE_INTEGER, take, skip);
  }

  counts(since: number): Answered<'alertCounts'> {
    return this.#counts.all(since);
  }

  causeCounts(since: number): Answered<'alertCauseCounts'> {
    return this.#causeCounts.all(since);
  }
}
