CREATE TABLE `person_session` (
	`session_id` text PRIMARY KEY NOT NULL,
	`person` text NOT NULL,
	`person_digest` text NOT NULL,
	`origin` text NOT NULL,
	`address` text NOT NULL,
	`panel_id` text,
	`panel_name` text,
	`since` real NOT NULL,
	`last_used_at` real NOT NULL
);
