import type { Migration } from '../../migration.ts';

/**
 * Statuses are queued many times a second, so little is kept of them besides their row: their lanes are read from the
 * queue when they are asked for (forwarding/queue/status-queues.ts). `queue_lane` and its index are only for acts.
 * `condensing`: statuses older than `before` that make no difference are being left out (D-26).
 */
export const statusLanes: Migration = {
  number: 9,
  sql: `
    DROP TRIGGER queue_entered;
    DROP TRIGGER queue_head_left;
    DROP INDEX queue_by_entity;
    DROP INDEX queue_lane_to_condense;
    DELETE FROM queue_lane WHERE entity >= 'machine:' AND entity < 'machine;';
    ALTER TABLE queue_lane DROP COLUMN condense_before;
    CREATE INDEX queue_acts ON queue (entity, seq) WHERE class = 'act';
    CREATE TABLE condensing (id INTEGER PRIMARY KEY, before REAL NOT NULL);

    CREATE TRIGGER queue_entered AFTER INSERT ON queue BEGIN
      UPDATE queue_total SET depth = depth + 1, bytes = bytes + new.bytes WHERE class = new.class;
    END;
    CREATE TRIGGER queue_act_entered AFTER INSERT ON queue WHEN new.class = 'act' BEGIN
      INSERT OR IGNORE INTO queue_lane (entity, head) VALUES (new.entity, new.seq);
    END;
    CREATE TRIGGER queue_act_left AFTER DELETE ON queue WHEN old.class = 'act' BEGIN
      UPDATE queue_lane
        SET head = (SELECT min(seq) FROM queue WHERE entity = old.entity AND class = 'act')
        WHERE entity = old.entity AND head = old.seq;
      DELETE FROM queue_lane WHERE entity = old.entity AND head IS NULL;
    END;
  `,
};
