-- By hand: WITHOUT ROWID, so that the sums of a machine lie together.
CREATE TABLE `shift_summary` (
	`machine_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`shift_name` text NOT NULL,
	`starts_at` real NOT NULL,
	`ends_at` real NOT NULL,
	`is_planned` integer NOT NULL,
	`is_stale` integer NOT NULL,
	`target_parts` integer,
	`content` text NOT NULL,
	PRIMARY KEY(`machine_id`, `shift_date`, `shift_name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `shift_summary_by_end` ON `shift_summary` (`machine_id`,`ends_at`);