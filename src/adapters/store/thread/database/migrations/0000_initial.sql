-- By hand, because drizzle-kit cannot say it: WITHOUT ROWID, STRICT, and at the end the triggers, the view and first rows.
CREATE TABLE `condensing` (
	`id` integer PRIMARY KEY NOT NULL,
	`before` real NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outgoing_batch` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`up_to_seq` integer NOT NULL,
	`point_rows` text NOT NULL,
	`records` integer NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `queue` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`class` text NOT NULL,
	`entity` text NOT NULL,
	`fact_key` text,
	`at` real NOT NULL,
	`epoch` integer NOT NULL,
	`bytes` integer NOT NULL,
	`body` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `queue_by_fact` ON `queue` (`fact_key`) WHERE fact_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `queue_by_class` ON `queue` (`class`,`seq`);--> statement-breakpoint
CREATE INDEX `queue_acts` ON `queue` (`entity`,`seq`) WHERE class = 'act';--> statement-breakpoint
CREATE TABLE `queue_head` (
	`entity` text PRIMARY KEY NOT NULL,
	`head` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `queue_head_by_seq` ON `queue_head` (`head`);--> statement-breakpoint
CREATE TABLE `queue_points` (
	`row` integer PRIMARY KEY NOT NULL,
	`at` real NOT NULL,
	`held_before` integer,
	`level` integer NOT NULL,
	`points` integer NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `queue_points_by_level` ON `queue_points` (`level`,`row`);--> statement-breakpoint
CREATE INDEX `queue_points_held` ON `queue_points` (`row`) WHERE held_before IS NOT NULL;--> statement-breakpoint
CREATE INDEX `queue_points_waiting` ON `queue_points` (`row`) WHERE held_before IS NULL;--> statement-breakpoint
CREATE TABLE `queue_total` (
	`class` text PRIMARY KEY NOT NULL,
	`depth` integer NOT NULL,
	`bytes` integer NOT NULL,
	`thinned` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `send_attempt` (
	`seq` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `set_aside` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`class` text NOT NULL,
	`entity` text NOT NULL,
	`fact_key` text,
	`at` real NOT NULL,
	`epoch` integer NOT NULL,
	`bytes` integer NOT NULL,
	`body` text,
	`reason` text NOT NULL,
	`set_aside_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `set_aside_by_class` ON `set_aside` (`class`,`id`);--> statement-breakpoint
CREATE TABLE `sync_stream` (
	`id` integer PRIMARY KEY NOT NULL,
	`stream` text NOT NULL,
	`previous` text NOT NULL,
	`gateway_id` text NOT NULL,
	`directory` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `upstream_profile` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`upstream_id` text NOT NULL,
	`server` text,
	`created_at` real
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `upstream_profile_by_name` ON `upstream_profile` (`upstream_id`);--> statement-breakpoint
CREATE TABLE `anomaly` (
	`machine_id` text NOT NULL,
	`at` real NOT NULL,
	`counter` text NOT NULL,
	`from_count` integer NOT NULL,
	`to_count` integer NOT NULL,
	`epoch` integer NOT NULL,
	PRIMARY KEY(`machine_id`, `at`, `counter`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `downtime` (
	`downtime_id` text PRIMARY KEY NOT NULL,
	`machine_id` text NOT NULL,
	`started_at` real NOT NULL,
	`ended_at` real,
	`reason_id` text,
	`note` text,
	`user_name` text,
	`epoch` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `downtime_by_machine` ON `downtime` (`machine_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `downtime_open` ON `downtime` (`machine_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `downtime_by_start` ON `downtime` (`started_at`);--> statement-breakpoint
CREATE INDEX `downtime_uncategorized` ON `downtime` (`started_at`) WHERE reason_id IS NULL;--> statement-breakpoint
CREATE TABLE `machine_part` (
	`machine_id` text PRIMARY KEY NOT NULL,
	`json` text,
	`at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `machine_state` (
	`machine_id` text PRIMARY KEY NOT NULL,
	`json` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `override_span` (
	`machine_id` text NOT NULL,
	`started_at` real NOT NULL,
	`ended_at` real,
	`epoch` integer NOT NULL,
	PRIMARY KEY(`machine_id`, `started_at`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `production_quarter` (
	`machine_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`shift_name` text NOT NULL,
	`starts_at` real NOT NULL,
	`ends_at` real NOT NULL,
	`epoch` integer NOT NULL,
	`good_parts` integer NOT NULL,
	`bad_parts` integer NOT NULL,
	`cycles` integer NOT NULL,
	`running_ms` real NOT NULL,
	`stopped_ms` real NOT NULL,
	`down_ms` real NOT NULL,
	`fault_ms` real NOT NULL,
	`override_ms` real NOT NULL,
	`offline_ms` real NOT NULL,
	PRIMARY KEY(`machine_id`, `shift_date`, `shift_name`, `starts_at`, `epoch`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `selected_part` (
	`machine_id` text NOT NULL,
	`part_id` text NOT NULL,
	`selected_at` real NOT NULL,
	PRIMARY KEY(`machine_id`, `part_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `shift_totals` (
	`machine_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`shift_name` text NOT NULL,
	`good_parts` integer NOT NULL,
	`bad_parts` integer NOT NULL,
	`cycles` integer NOT NULL,
	`running_ms` real NOT NULL,
	`stopped_ms` real NOT NULL,
	`down_ms` real NOT NULL,
	`fault_ms` real NOT NULL,
	`override_ms` real NOT NULL,
	`offline_ms` real NOT NULL,
	`reading` text,
	PRIMARY KEY(`machine_id`, `shift_date`, `shift_name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `span` (
	`span_id` text PRIMARY KEY NOT NULL,
	`machine_id` text NOT NULL,
	`activity` text NOT NULL,
	`started_at` real NOT NULL,
	`ended_at` real,
	`epoch` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `span_by_machine` ON `span` (`machine_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `span_open` ON `span` (`machine_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE TABLE `work_session` (
	`session_id` text PRIMARY KEY NOT NULL,
	`machine_id` text NOT NULL,
	`job_number` text,
	`part_id` text,
	`user_id` text,
	`started_at` real NOT NULL,
	`last_active_at` real NOT NULL,
	`ended_at` real,
	`good_parts` integer NOT NULL,
	`bad_parts` integer NOT NULL,
	`cycles` integer NOT NULL,
	`epoch` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `work_session_by_machine` ON `work_session` (`machine_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `work_session_open` ON `work_session` (`machine_id`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE TABLE `customer_order` (
	`order_key` text PRIMARY KEY NOT NULL,
	`document_id` text,
	`order_code` text,
	`json` text NOT NULL,
	`at` real NOT NULL,
	`principal` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `customer_order_by_code` ON `customer_order` (`order_code`);--> statement-breakpoint
CREATE TABLE `mirror_staged` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`machine_id` text,
	`last_operation` text,
	`json` text NOT NULL,
	PRIMARY KEY(`kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `mirror_state` (
	`kind` text PRIMARY KEY NOT NULL,
	`mirrored_at` real NOT NULL,
	`generation` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `mirrored_order_document` (
	`document_key` text NOT NULL,
	`generation` integer NOT NULL,
	`order_key` text NOT NULL,
	`place` integer NOT NULL,
	PRIMARY KEY(`document_key`, `generation`, `order_key`, `place`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `mirrored_order_document_by_row` ON `mirrored_order_document` (`generation`,`order_key`,`place`);--> statement-breakpoint
CREATE TABLE `mirrored_order_row` (
	`generation` integer NOT NULL,
	`order_key` text NOT NULL,
	`place` integer NOT NULL,
	`order_code` text,
	`material_code` text,
	`tooling_code` text,
	`sales_order` text,
	`work_orders` text NOT NULL,
	`json` text NOT NULL,
	`yaml` text NOT NULL,
	`is_replaced` integer NOT NULL,
	PRIMARY KEY(`generation`, `order_key`, `place`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `mirrored_order_row_by_code` ON `mirrored_order_row` (`generation`,`order_code`);--> statement-breakpoint
CREATE TABLE `order_reading` (
	`id` integer PRIMARY KEY NOT NULL,
	`begun` integer NOT NULL,
	`applied` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `order_row` (
	`order_key` text NOT NULL,
	`place` integer NOT NULL,
	`order_code` text,
	`material_code` text,
	`tooling_code` text,
	`sales_order` text,
	`work_orders` text NOT NULL,
	`json` text NOT NULL,
	`yaml` text NOT NULL,
	PRIMARY KEY(`order_key`, `place`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `order_row_by_key` ON `order_row` (`order_code`,`material_code`,`tooling_code`);--> statement-breakpoint
CREATE INDEX `order_row_by_material` ON `order_row` (`material_code`);--> statement-breakpoint
CREATE INDEX `order_row_by_tooling` ON `order_row` (`tooling_code`);--> statement-breakpoint
CREATE INDEX `order_row_by_sales_order` ON `order_row` (`sales_order`);--> statement-breakpoint
CREATE TABLE `own_order` (
	`order_key` text PRIMARY KEY NOT NULL,
	`until_reading` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `own_order_by_reading` ON `own_order` (`until_reading`);--> statement-breakpoint
CREATE TABLE `catalog_membership` (
	`profile_id` text NOT NULL,
	`from_number` integer NOT NULL,
	`catalog_id` integer NOT NULL,
	`until_number` integer,
	PRIMARY KEY(`profile_id`, `from_number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `catalog_subscription` (
	`serial_number` text NOT NULL,
	`catalog_id` integer NOT NULL,
	`change_number` integer NOT NULL,
	PRIMARY KEY(`serial_number`, `catalog_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `catalog_subscription_by_change` ON `catalog_subscription` (`change_number`);--> statement-breakpoint
CREATE TABLE `profile` (
	`profile_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`change_number` integer NOT NULL,
	`catalog_id` integer NOT NULL,
	`archived` integer NOT NULL,
	`name` text NOT NULL,
	`category` text,
	`sub_category` text,
	`json` text NOT NULL,
	`delivered` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `profile_by_change` ON `profile` (`change_number`,`profile_id`,`catalog_id`,`archived`);--> statement-breakpoint
CREATE INDEX `profile_by_name` ON `profile` (`archived`,name COLLATE NOCASE,`profile_id`);--> statement-breakpoint
CREATE TABLE `profile_epoch` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`first_number` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `profile_epoch_epoch_unique` ON `profile_epoch` (`epoch`);--> statement-breakpoint
CREATE TABLE `received_act` (
	`gateway_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`at` real NOT NULL,
	PRIMARY KEY(`gateway_id`, `operation_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `received_act_by_time` ON `received_act` (`at`);--> statement-breakpoint
CREATE INDEX `received_act_by_operation` ON `received_act` (`operation_id`);--> statement-breakpoint
CREATE TABLE `received_catch_up` (
	`gateway_id` text NOT NULL,
	`machine_id` text NOT NULL,
	`stream` text NOT NULL,
	`at` real NOT NULL,
	`shift_date` text NOT NULL,
	`shift_name` text NOT NULL,
	`shift_offset` text NOT NULL,
	`session_id` text,
	`session_offset` text,
	`former` text NOT NULL,
	PRIMARY KEY(`gateway_id`, `machine_id`, `stream`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `received_machine` (
	`gateway_id` text NOT NULL,
	`machine_id` text NOT NULL,
	`status_at` real,
	`status_stream` text,
	`status` text,
	PRIMARY KEY(`gateway_id`, `machine_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `received_name` (
	`gateway_id` text PRIMARY KEY NOT NULL,
	`stream` text NOT NULL,
	`principal` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `received_refusal` (
	`gateway_id` text NOT NULL,
	`stream` text NOT NULL,
	`since` real NOT NULL,
	`principal` text NOT NULL,
	`overruled` integer NOT NULL,
	PRIMARY KEY(`gateway_id`, `stream`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `received_session` (
	`gateway_id` text NOT NULL,
	`session_id` text NOT NULL,
	`stream` text NOT NULL,
	`last_active_at` real NOT NULL,
	`good_parts` integer NOT NULL,
	`bad_parts` integer NOT NULL,
	`cycles` integer NOT NULL,
	PRIMARY KEY(`gateway_id`, `session_id`, `stream`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `received_session_by_time` ON `received_session` (`last_active_at`);--> statement-breakpoint
CREATE TABLE `received_shift` (
	`gateway_id` text NOT NULL,
	`stream` text NOT NULL,
	`machine_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`shift_name` text NOT NULL,
	`good_parts` integer NOT NULL,
	`bad_parts` integer NOT NULL,
	`cycles` integer NOT NULL,
	`running_ms` real NOT NULL,
	`stopped_ms` real NOT NULL,
	`down_ms` real NOT NULL,
	`fault_ms` real NOT NULL,
	`override_ms` real NOT NULL,
	`offline_ms` real NOT NULL,
	`reading` text,
	PRIMARY KEY(`gateway_id`, `stream`, `machine_id`, `shift_date`, `shift_name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `received_shift_by_date` ON `received_shift` (`shift_date`);--> statement-breakpoint
CREATE TABLE `received_stream` (
	`gateway_id` text NOT NULL,
	`stream` text NOT NULL,
	`place` integer NOT NULL,
	`position` text NOT NULL,
	`refused` text NOT NULL,
	`partial_digest` text,
	`partial_items` integer NOT NULL,
	`last_contact_at` real NOT NULL,
	`records` integer NOT NULL,
	`principal` text NOT NULL,
	`newest_point_at` real,
	`directory` text NOT NULL,
	PRIMARY KEY(`gateway_id`, `stream`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `applied_batch` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`number` integer NOT NULL,
	`written_at` real NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entry_id` text NOT NULL,
	`at` real NOT NULL,
	`who` text NOT NULL,
	`role` text NOT NULL,
	`address` text NOT NULL,
	`act` text NOT NULL,
	`subject` text NOT NULL,
	`before` text,
	`after` text,
	`previous` text NOT NULL,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entry_id_unique` ON `audit` (`entry_id`);--> statement-breakpoint
CREATE TABLE `broker_row` (
	`table_name` text NOT NULL,
	`key` text NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`table_name`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `clock_epoch` (
	`id` integer PRIMARY KEY NOT NULL,
	`boot_id` text NOT NULL,
	`run_id` text NOT NULL,
	`opened_at` real NOT NULL,
	`correction_ms` real NOT NULL,
	`shift_dates` text
);
--> statement-breakpoint
CREATE TABLE `damaged_record` (
	`id` integer PRIMARY KEY NOT NULL,
	`table_name` text NOT NULL,
	`key` text NOT NULL,
	`content` text NOT NULL,
	`reason` text NOT NULL,
	`found_at` real NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `damaged_record_by_content` ON `damaged_record` (`table_name`,`key`,`content`);--> statement-breakpoint
CREATE TABLE `done_request` (
	`principal` text NOT NULL,
	`number` integer NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`answer` blob,
	`total_bytes` integer NOT NULL,
	PRIMARY KEY(`principal`, `number`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `done_request_principal_key_unique` ON `done_request` (`principal`,`key`);--> statement-breakpoint
CREATE TABLE `trusted_clock` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` real NOT NULL,
	CONSTRAINT "trusted_clock_is_one_row" CHECK(id = 1)
);
--> statement-breakpoint
CREATE TABLE `publication_receipt` (
	`client_id` text NOT NULL,
	`slot` integer NOT NULL,
	`message_id` integer NOT NULL,
	`payload_hash` integer NOT NULL,
	`at` real NOT NULL,
	PRIMARY KEY(`client_id`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `variable_block` (
	`id` integer PRIMARY KEY NOT NULL,
	`series` integer NOT NULL,
	`start_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	`day` integer NOT NULL,
	`epoch` integer NOT NULL,
	`count` integer NOT NULL,
	`points` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `variable_block_by_start` ON `variable_block` (`series`,`start_at`);--> statement-breakpoint
CREATE TABLE `variable_packing` (
	`id` integer PRIMARY KEY NOT NULL,
	`up_to_recent` integer NOT NULL,
	`up_to_series` integer NOT NULL,
	`packed_up_to` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `variable_recent` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`points` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `variable_series` (
	`id` integer PRIMARY KEY NOT NULL,
	`machine_id` text NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `variable_series_by_name` ON `variable_series` (`machine_id`,`name`);--> statement-breakpoint
CREATE TABLE `change_epoch` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`first_number` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `change_epoch_epoch_unique` ON `change_epoch` (`epoch`);--> statement-breakpoint
CREATE TABLE `change_feed` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`removed` integer NOT NULL,
	`at` real NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `change_feed_kind_id_unique` ON `change_feed` (`kind`,`id`);--> statement-breakpoint
CREATE TABLE `change_floor` (
	`id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	CONSTRAINT "change_floor_is_one_row" CHECK(id = 1)
);
--> statement-breakpoint
CREATE TABLE `coil` (
	`id` integer PRIMARY KEY NOT NULL,
	`coil_id` text NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `coil_coil_id_unique` ON `coil` (`coil_id`);--> statement-breakpoint
CREATE TABLE `legacy_write` (
	`operation_id` text PRIMARY KEY NOT NULL,
	`started_at` real NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `plant` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`json` text NOT NULL,
	PRIMARY KEY(`kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `task` (
	`id` integer PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`machine_id` text NOT NULL,
	`last_operation` text,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `task_task_id_unique` ON `task` (`task_id`);
--> statement-breakpoint
-- Every class that has a total (forwarding/queue/queue-classes.ts).
INSERT INTO queue_total (class, depth, bytes, thinned) VALUES
	('act', 0, 0, 0),
	('bootEnd', 0, 0, 0),
	('partChange', 0, 0, 0),
	('change', 0, 0, 0),
	('repeat', 0, 0, 0),
	('shift', 0, 0, 0),
	('downtime', 0, 0, 0),
	('downtimeRemoved', 0, 0, 0),
	('span', 0, 0, 0),
	('workSession', 0, 0, 0),
	('anomaly', 0, 0, 0),
	('part', 0, 0, 0),
	('points', 0, 0, 0),
	('heldPoints', 0, 0, 0),
	('setAside', 0, 0, 0),
	('catchUp', 0, 0, 0);
--> statement-breakpoint
INSERT INTO order_reading (id, begun, applied) VALUES (1, 0, 0);
--> statement-breakpoint
CREATE TRIGGER queue_act_entered AFTER INSERT ON queue WHEN new.class = 'act' BEGIN
		INSERT OR IGNORE INTO queue_head (entity, head) VALUES (new.entity, new.seq);
END;
--> statement-breakpoint
CREATE TRIGGER queue_act_left AFTER DELETE ON queue WHEN old.class = 'act' BEGIN
		UPDATE queue_head
			SET head = (SELECT min(seq) FROM queue WHERE entity = old.entity AND class = 'act')
			WHERE entity = old.entity AND head = old.seq;
		DELETE FROM queue_head WHERE entity = old.entity AND head IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER queue_entered AFTER INSERT ON queue BEGIN
		UPDATE queue_total SET depth = depth + 1, bytes = bytes + new.bytes WHERE class = new.class;
END;
--> statement-breakpoint
CREATE TRIGGER queue_left AFTER DELETE ON queue BEGIN
		UPDATE queue_total SET depth = depth - 1, bytes = bytes - old.bytes WHERE class = old.class;
END;
--> statement-breakpoint
CREATE TRIGGER queue_points_changed AFTER UPDATE ON queue_points BEGIN
		UPDATE queue_total SET depth = depth - old.points, bytes = bytes - old.bytes
			WHERE class = iif(old.held_before IS NULL, 'points', 'heldPoints');
		UPDATE queue_total SET depth = depth + new.points, bytes = bytes + new.bytes
			WHERE class = iif(new.held_before IS NULL, 'points', 'heldPoints');
END;
--> statement-breakpoint
CREATE TRIGGER queue_points_entered AFTER INSERT ON queue_points BEGIN
		UPDATE queue_total SET depth = depth + new.points, bytes = bytes + new.bytes
			WHERE class = iif(new.held_before IS NULL, 'points', 'heldPoints');
END;
--> statement-breakpoint
CREATE TRIGGER queue_points_left AFTER DELETE ON queue_points BEGIN
		UPDATE queue_total SET depth = depth - old.points, bytes = bytes - old.bytes
			WHERE class = iif(old.held_before IS NULL, 'points', 'heldPoints');
END;
--> statement-breakpoint
CREATE TRIGGER queued_order_left AFTER DELETE ON queue
		WHEN old.class = 'act' AND old.entity >= 'order:' AND old.entity < 'order;' BEGIN
		INSERT OR REPLACE INTO own_order SELECT substr(old.entity, 7), begun + 1 FROM order_reading WHERE id = 1;
END;
--> statement-breakpoint
CREATE TRIGGER set_aside_entered AFTER INSERT ON set_aside BEGIN
		UPDATE queue_total SET depth = depth + 1, bytes = bytes + new.bytes WHERE class = 'setAside';
END;
--> statement-breakpoint
CREATE TRIGGER set_aside_left AFTER DELETE ON set_aside BEGIN
		UPDATE queue_total SET depth = depth - 1, bytes = bytes - old.bytes WHERE class = 'setAside';
END;
--> statement-breakpoint
-- The orders to show if a central server is mirrored: an order that was changed here as it was changed, others as the
-- server has them.
CREATE VIEW shown_order_row AS
	SELECT order_key, place, order_code, material_code, tooling_code, sales_order, work_orders, json, yaml
	FROM order_row AS ours
	WHERE NOT EXISTS (SELECT 1 FROM mirror_state WHERE kind = 'orders')
		OR coalesce(
			(
				SELECT theirs.is_replaced FROM mirrored_order_document AS document
					CROSS JOIN mirrored_order_row AS theirs USING (generation, order_key, place)
				WHERE document.document_key = ours.order_key
					AND document.generation = (SELECT generation FROM mirror_state WHERE kind = 'orders')
					AND theirs.order_code IS ours.order_code AND theirs.material_code IS ours.material_code
					AND theirs.tooling_code IS ours.tooling_code
			),
			(
			EXISTS (SELECT 1 FROM queue_head WHERE entity = 'order:' || ours.order_key)
			OR EXISTS (
				SELECT 1 FROM own_order AS own, order_reading AS reading
				WHERE own.order_key = ours.order_key AND own.until_reading > reading.applied
			)
		)
		)
	UNION ALL
	SELECT order_key, place, order_code, material_code, tooling_code, sales_order, work_orders, json, yaml
	FROM mirrored_order_row AS theirs
	WHERE generation = (SELECT generation FROM mirror_state WHERE kind = 'orders') AND NOT is_replaced
		AND NOT (
			EXISTS (SELECT 1 FROM queue_head WHERE entity = 'order:' || theirs.order_key)
			OR EXISTS (
				SELECT 1 FROM own_order AS own, order_reading AS reading
				WHERE own.order_key = theirs.order_key AND own.until_reading > reading.applied
			)
		);
