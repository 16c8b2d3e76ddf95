CREATE TABLE `group_update` (
	`group_id` text PRIMARY KEY NOT NULL,
	`update_id` text NOT NULL,
	`state` text NOT NULL,
	`why` text NOT NULL,
	`passed` text NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `taken_update` (
	`id` integer PRIMARY KEY NOT NULL,
	`json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `update_release` (
	`update_id` text NOT NULL,
	`gateway_id` text NOT NULL,
	`at` real NOT NULL,
	PRIMARY KEY(`update_id`, `gateway_id`)
);
