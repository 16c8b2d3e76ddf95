-- By hand: WITHOUT ROWID, so that the figures of a gateway's day lie together.
CREATE TABLE `received_change` (
	`machine_id` text PRIMARY KEY NOT NULL,
	`gateway_id` text NOT NULL,
	`since_at` real,
	`since_date` text,
	`mark` real NOT NULL
);
--> statement-breakpoint
CREATE TABLE `received_plant` (
	`gateway_id` text PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `received_shift_figures` (
	`gateway_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`machine_id` text NOT NULL,
	`shift_name` text NOT NULL,
	`good_parts` real NOT NULL,
	`bad_parts` real NOT NULL,
	`cycles` real NOT NULL,
	`planned_ms` real NOT NULL,
	`running_ms` real NOT NULL,
	`planned_stop_ms` real NOT NULL,
	`unplanned_stop_ms` real NOT NULL,
	`short_stop_ms` real NOT NULL,
	`fault_ms` real NOT NULL,
	`offline_ms` real NOT NULL,
	`outside_good_parts` real NOT NULL,
	`outside_bad_parts` real NOT NULL,
	`outside_running_ms` real NOT NULL,
	`outside_stop_ms` real NOT NULL,
	`rated_parts` real NOT NULL,
	`ideal_ms` real NOT NULL,
	`rated_running_ms` real NOT NULL,
	`targeted_good_parts` real NOT NULL,
	`target_parts` real,
	`breakdowns` real NOT NULL,
	`breakdown_ms` real NOT NULL,
	PRIMARY KEY(`gateway_id`, `shift_date`, `machine_id`, `shift_name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `received_shift_figures_by_date` ON `received_shift_figures` (`shift_date`);--> statement-breakpoint
CREATE TABLE `received_stop_figures` (
	`gateway_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`machine_id` text NOT NULL,
	`shift_name` text NOT NULL,
	`reason_id` text NOT NULL,
	`count` real NOT NULL,
	`ms` real NOT NULL,
	`planned_ms` real NOT NULL,
	`outside_ms` real NOT NULL,
	`longest_ms` real NOT NULL,
	PRIMARY KEY(`gateway_id`, `shift_date`, `machine_id`, `shift_name`, `reason_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `received_stop_figures_by_date` ON `received_stop_figures` (`shift_date`);--> statement-breakpoint
CREATE TABLE `received_work_figures` (
	`gateway_id` text NOT NULL,
	`shift_date` text NOT NULL,
	`machine_id` text NOT NULL,
	`shift_name` text NOT NULL,
	`part_id` text NOT NULL,
	`job_number` text NOT NULL,
	`user_id` text NOT NULL,
	`good_parts` real NOT NULL,
	`bad_parts` real NOT NULL,
	`cycles` real NOT NULL,
	`running_ms` real NOT NULL,
	`rated_parts` real NOT NULL,
	`ideal_ms` real NOT NULL,
	`rated_running_ms` real NOT NULL,
	PRIMARY KEY(`gateway_id`, `shift_date`, `machine_id`, `shift_name`, `part_id`, `job_number`, `user_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `received_work_figures_by_date` ON `received_work_figures` (`shift_date`);