import type { Production } from '../../../../domain/machine/counters/counters.ts';
import type { WorkSession } from '../../../../domain/machine/records.ts';
import type { GatewayStream } from '../../../../domain/sync/name-claim.ts';
import type { Connection } from '../database/connection.ts';
import { insertInto } from '../database/insert-into.ts';
import { receivedSession } from '../database/schema/received.ts';
import { IS_COUNTED } from './stream-shifts.ts';

interface SessionKey {
  readonly gatewayId: string;
  readonly sessionId: string;
}

const MOST = `SELECT coalesce(max(good_parts), 0) AS goodParts, coalesce(max(bad_parts), 0) AS badParts,
    coalesce(max(cycles), 0) AS cycles FROM received_session
  WHERE gateway_id = @gatewayId AND session_id = @sessionId AND ${IS_COUNTED}`;

/** The numbers of each work session by stream, and the one that is shown: the highest. To be called within a transaction. */
export class StreamSessions {
  readonly #put;
  readonly #shown;
  readonly #ofOthers;

  constructor(connection: Connection) {
    this.#put = insertInto(connection, receivedSession, { or: 'REPLACE' });
    this.#shown = connection.prepare<SessionKey, Production>(MOST);
    this.#ofOthers = connection.prepare<SessionKey & GatewayStream, Production>(`${MOST} AND stream <> @stream`);
  }

  /**
   * Gives the numbers of the session to show now. `sessionId`, here and below, is the id under which it is kept here.
   */
  noted({ gatewayId, stream }: GatewayStream, session: WorkSession): WorkSession {
    const { sessionId, lastActiveAt, goodParts, badParts, cycles } = session;
    this.#put({ gatewayId, sessionId, stream, lastActiveAt, goodParts, badParts, cycles });
    return { ...session, ...this.#shown.get({ gatewayId, sessionId }) };
  }

  /** The totals of the session by other streams. */
  countedByOthers({ gatewayId, stream }: GatewayStream, session: WorkSession): Production {
    return this.#ofOthers.get({ gatewayId, sessionId: session.sessionId, stream }) ?? session;
  }
}
