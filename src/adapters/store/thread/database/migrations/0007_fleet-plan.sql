CREATE TABLE `applied_plan` (
	`id` integer PRIMARY KEY NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `gateway_group` (
	`group_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`roll_out` integer,
	`preview` integer
);
--> statement-breakpoint
CREATE TABLE `grouped_gateway` (
	`gateway_id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `grouped_gateway_by_group` ON `grouped_gateway` (`group_id`);--> statement-breakpoint
CREATE TABLE `plan_version` (
	`group_id` text NOT NULL,
	`version` integer NOT NULL,
	`at` real NOT NULL,
	`who` text NOT NULL,
	`note` text NOT NULL,
	`overwrite` integer NOT NULL,
	`records` integer NOT NULL,
	`plan` text NOT NULL,
	PRIMARY KEY(`group_id`, `version`)
);
