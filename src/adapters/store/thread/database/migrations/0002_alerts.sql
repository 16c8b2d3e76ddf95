CREATE TABLE `alert` (
	`number` integer PRIMARY KEY NOT NULL,
	`alert_id` text NOT NULL,
	`rule_id` text NOT NULL,
	`opened_at` real NOT NULL,
	`ended_at` real,
	`is_owed` integer NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_alert_id_unique` ON `alert` (`alert_id`);--> statement-breakpoint
CREATE INDEX `alert_by_end` ON `alert` (`ended_at`);--> statement-breakpoint
CREATE INDEX `alert_by_opening` ON `alert` (`opened_at`);--> statement-breakpoint
CREATE TABLE `alert_message` (
	`message_id` text PRIMARY KEY NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alert_setting` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`json` text NOT NULL,
	PRIMARY KEY(`kind`, `id`)
);
