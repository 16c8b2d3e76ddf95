-- Archives for gateways are for all nodes (D-111).
CREATE TABLE "central"."update_archive" (
	"upload_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"archive_id" text COLLATE "C",
	"version" text COLLATE "C",
	"arch" text COLLATE "C",
	"bytes" bigint NOT NULL,
	"received_bytes" bigint NOT NULL,
	"begun_at" double precision NOT NULL,
	CONSTRAINT "update_archive_archive_id_unique" UNIQUE("archive_id")
);
--> statement-breakpoint
CREATE TABLE "central"."update_archive_part" (
	"upload_id" text COLLATE "C" NOT NULL,
	"from_byte" bigint NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "update_archive_part_upload_id_from_byte_pk" PRIMARY KEY("upload_id","from_byte")
);
--> statement-breakpoint
ALTER TABLE "central"."update_archive_part" ADD CONSTRAINT "update_archive_part_upload_id_update_archive_upload_id_fk" FOREIGN KEY ("upload_id") REFERENCES "central"."update_archive"("upload_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Signed programs hardly compress, and a part of one is read alone.
ALTER TABLE "central"."update_archive_part" ALTER COLUMN "content" SET STORAGE EXTERNAL;
