CREATE TABLE `received_gateway` (
	`gateway_id` text PRIMARY KEY NOT NULL,
	`name` text,
	`heard_at` real,
	`report` text
);
