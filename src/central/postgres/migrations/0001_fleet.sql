ALTER TABLE "central"."gateway" ADD COLUMN "name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "central"."gateway" ADD COLUMN "heard_at" double precision;--> statement-breakpoint
ALTER TABLE "central"."gateway" ADD COLUMN "report" text COLLATE "C";