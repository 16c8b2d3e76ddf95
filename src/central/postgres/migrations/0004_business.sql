CREATE TABLE "central"."duty" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"holder" text COLLATE "C" NOT NULL,
	"held_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "central"."journal" (
	"plant_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"history" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"write_id" text COLLATE "C" NOT NULL,
	"turn" bigint NOT NULL,
	"holder" text COLLATE "C",
	"held_until" timestamp with time zone,
	"wanted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "central"."journal_copy" (
	"plant_id" text COLLATE "C" NOT NULL,
	"copy_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"write_id" text COLLATE "C" NOT NULL,
	"made_at" timestamp with time zone NOT NULL,
	"bytes" bigint NOT NULL,
	"is_whole" boolean NOT NULL,
	CONSTRAINT "journal_copy_plant_id_copy_id_pk" PRIMARY KEY("plant_id","copy_id")
);
--> statement-breakpoint
CREATE TABLE "central"."journal_copy_part" (
	"plant_id" text COLLATE "C" NOT NULL,
	"copy_id" text COLLATE "C" NOT NULL,
	"part" integer NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "journal_copy_part_plant_id_copy_id_part_pk" PRIMARY KEY("plant_id","copy_id","part")
);
--> statement-breakpoint
CREATE TABLE "central"."journal_entry" (
	"plant_id" text COLLATE "C" NOT NULL,
	"seq" bigint NOT NULL,
	"write_id" text COLLATE "C" NOT NULL,
	"is_last" boolean NOT NULL,
	"run" text COLLATE "C" NOT NULL,
	"format" integer NOT NULL,
	"written_at" double precision NOT NULL,
	"records" text COLLATE "C" NOT NULL,
	CONSTRAINT "journal_entry_plant_id_seq_pk" PRIMARY KEY("plant_id","seq")
);
