CREATE TABLE `journal_position` (
	`id` integer PRIMARY KEY NOT NULL,
	`history` text NOT NULL,
	`seq` integer NOT NULL,
	`write_id` text NOT NULL
);
