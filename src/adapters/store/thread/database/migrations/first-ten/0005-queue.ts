import type { Migration } from '../../migration.ts';

/** Every class that has a total (forwarding/queue/queue-classes.ts). */
const TOTALS = [
  ...['act', 'bootEnd', 'partChange', 'change', 'repeat'],
  ...['shift', 'downtime', 'downtimeRemoved', 'span', 'workSession', 'anomaly', 'part'],
  ...['points', 'heldPoints', 'setAside'],
];

/**
 * The queue for the central server. `queue`: acts and statuses with their `body`, which stand in lanes, and facts,
 * which have a `fact_key` and are read from the history when they are sent. `queue_lane` has the oldest row of each
 * entity and `queue_total` the amount of each class; triggers keep both up to date. `queue_points` has the waiting rows
 * of `variable_recent`: a whole row, or of a held row the points of shift days before `held_before`. `send_begun` has
 * the rows that may have been sent one by one. `level` counts the halvings of a row. `at` is the time as it was written
 * in `epoch` (D-04).
 */
export const queue: Migration = {
  number: 5,
  sql: `
    CREATE TABLE queue (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, entity TEXT NOT NULL, fact_key TEXT, at REAL NOT NULL,
      epoch INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT
    );
    CREATE UNIQUE INDEX queue_by_fact ON queue (fact_key) WHERE fact_key IS NOT NULL;
    CREATE INDEX queue_by_entity ON queue (entity, seq, class) WHERE fact_key IS NULL;
    CREATE INDEX queue_by_class ON queue (class, seq);
    CREATE TABLE queue_lane (entity TEXT PRIMARY KEY, head INTEGER, condense_before REAL) WITHOUT ROWID;
    CREATE INDEX queue_lane_by_head ON queue_lane (head);
    CREATE INDEX queue_lane_to_condense ON queue_lane (head) WHERE condense_before IS NOT NULL;
    CREATE TABLE queue_points (
      row INTEGER PRIMARY KEY, at REAL NOT NULL, held_before INTEGER, level INTEGER NOT NULL, points INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    );
    CREATE INDEX queue_points_by_level ON queue_points (level, row);
    CREATE INDEX queue_points_held ON queue_points (row) WHERE held_before IS NOT NULL;
    CREATE INDEX queue_points_waiting ON queue_points (row) WHERE held_before IS NULL;
    CREATE TABLE set_aside (
      id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, entity TEXT NOT NULL, fact_key TEXT, at REAL NOT NULL,
      epoch INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT, reason TEXT NOT NULL, set_aside_at REAL NOT NULL
    );
    CREATE INDEX set_aside_by_class ON set_aside (class, id);
    CREATE TABLE send_begun (seq INTEGER PRIMARY KEY);
    CREATE TABLE upstream_profile (profile_id TEXT PRIMARY KEY, upstream_id TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE queue_total (
      class TEXT PRIMARY KEY, depth INTEGER NOT NULL, bytes INTEGER NOT NULL, thinned INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE sync_stream (id INTEGER PRIMARY KEY, stream TEXT NOT NULL, previous TEXT NOT NULL);
    CREATE TABLE outgoing_batch (
      id INTEGER PRIMARY KEY, digest TEXT NOT NULL, up_to_seq INTEGER NOT NULL, point_rows TEXT NOT NULL,
      records INTEGER NOT NULL, body BLOB NOT NULL
    );
    INSERT INTO queue_total VALUES ${TOTALS.map((name) => `('${name}', 0, 0, 0)`).join(', ')};

    CREATE TRIGGER queue_entered AFTER INSERT ON queue BEGIN
      UPDATE queue_total SET depth = depth + 1, bytes = bytes + new.bytes WHERE class = new.class;
      INSERT OR IGNORE INTO queue_lane (entity, head) SELECT new.entity, new.seq WHERE new.fact_key IS NULL;
    END;
    CREATE TRIGGER queue_left AFTER DELETE ON queue BEGIN
      UPDATE queue_total SET depth = depth - 1, bytes = bytes - old.bytes WHERE class = old.class;
    END;
    CREATE TRIGGER queue_head_left AFTER DELETE ON queue WHEN old.fact_key IS NULL BEGIN
      UPDATE queue_lane
        SET head = (SELECT min(seq) FROM queue WHERE entity = old.entity AND fact_key IS NULL)
        WHERE entity = old.entity AND head = old.seq;
      DELETE FROM queue_lane WHERE entity = old.entity AND head IS NULL;
    END;
    CREATE TRIGGER set_aside_entered AFTER INSERT ON set_aside BEGIN
      UPDATE queue_total SET depth = depth + 1, bytes = bytes + new.bytes WHERE class = 'setAside';
    END;
    CREATE TRIGGER set_aside_left AFTER DELETE ON set_aside BEGIN
      UPDATE queue_total SET depth = depth - 1, bytes = bytes - old.bytes WHERE class = 'setAside';
    END;
    CREATE TRIGGER queue_points_entered AFTER INSERT ON queue_points BEGIN
      UPDATE queue_total SET depth = depth + new.points, bytes = bytes + new.bytes
        WHERE class = iif(new.held_before IS NULL, 'points', 'heldPoints');
    END;
    CREATE TRIGGER queue_points_left AFTER DELETE ON queue_points BEGIN
      UPDATE queue_total SET depth = depth - old.points, bytes = bytes - old.bytes
        WHERE class = iif(old.held_before IS NULL, 'points', 'heldPoints');
    END;
    CREATE TRIGGER queue_points_changed AFTER UPDATE ON queue_points BEGIN
      UPDATE queue_total SET depth = depth - old.points, bytes = bytes - old.bytes
        WHERE class = iif(old.held_before IS NULL, 'points', 'heldPoints');
      UPDATE queue_total SET depth = depth + new.points, bytes = bytes + new.bytes
        WHERE class = iif(new.held_before IS NULL, 'points', 'heldPoints');
    END;

    ALTER TABLE variable_packing ADD COLUMN packed_up_to INTEGER NOT NULL DEFAULT 0;
    UPDATE variable_packing SET packed_up_to = coalesce((SELECT min(id) - 1 FROM variable_recent), 0);
  `,
};
