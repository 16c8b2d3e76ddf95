CREATE TABLE "central"."changed_machine" (
	"machine_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"gateway_id" text COLLATE "C" NOT NULL,
	"since_at" double precision,
	"since_date" text COLLATE "C",
	"mark" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "central"."shift_figures" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"shift_date" text COLLATE "C" NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"shift_name" text COLLATE "C" NOT NULL,
	"good_parts" double precision NOT NULL,
	"bad_parts" double precision NOT NULL,
	"cycles" double precision NOT NULL,
	"planned_ms" double precision NOT NULL,
	"running_ms" double precision NOT NULL,
	"planned_stop_ms" double precision NOT NULL,
	"unplanned_stop_ms" double precision NOT NULL,
	"short_stop_ms" double precision NOT NULL,
	"fault_ms" double precision NOT NULL,
	"offline_ms" double precision NOT NULL,
	"outside_good_parts" double precision NOT NULL,
	"outside_bad_parts" double precision NOT NULL,
	"outside_running_ms" double precision NOT NULL,
	"outside_stop_ms" double precision NOT NULL,
	"rated_parts" double precision NOT NULL,
	"ideal_ms" double precision NOT NULL,
	"rated_running_ms" double precision NOT NULL,
	"targeted_good_parts" double precision NOT NULL,
	"target_parts" double precision,
	"breakdowns" double precision NOT NULL,
	"breakdown_ms" double precision NOT NULL,
	CONSTRAINT "shift_figures_gateway_id_shift_date_machine_id_shift_name_pk" PRIMARY KEY("gateway_id","shift_date","machine_id","shift_name")
);
--> statement-breakpoint
CREATE TABLE "central"."stop_figures" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"shift_date" text COLLATE "C" NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"shift_name" text COLLATE "C" NOT NULL,
	"reason_id" text COLLATE "C" NOT NULL,
	"count" double precision NOT NULL,
	"ms" double precision NOT NULL,
	"planned_ms" double precision NOT NULL,
	"outside_ms" double precision NOT NULL,
	"longest_ms" double precision NOT NULL,
	CONSTRAINT "stop_figures_gateway_id_shift_date_machine_id_shift_name_reason_id_pk" PRIMARY KEY("gateway_id","shift_date","machine_id","shift_name","reason_id")
);
--> statement-breakpoint
CREATE TABLE "central"."told_plant" (
	"gateway_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"digest" text COLLATE "C" NOT NULL,
	"json" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "central"."work_figures" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"shift_date" text COLLATE "C" NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"shift_name" text COLLATE "C" NOT NULL,
	"part_id" text COLLATE "C" NOT NULL,
	"job_number" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"good_parts" double precision NOT NULL,
	"bad_parts" double precision NOT NULL,
	"cycles" double precision NOT NULL,
	"running_ms" double precision NOT NULL,
	"rated_parts" double precision NOT NULL,
	"ideal_ms" double precision NOT NULL,
	"rated_running_ms" double precision NOT NULL,
	CONSTRAINT "work_figures_gateway_id_shift_date_machine_id_shift_name_part_id_job_number_user_id_pk" PRIMARY KEY("gateway_id","shift_date","machine_id","shift_name","part_id","job_number","user_id")
);
--> statement-breakpoint
CREATE INDEX "shift_figures_by_date" ON "central"."shift_figures" USING btree ("shift_date");--> statement-breakpoint
CREATE INDEX "stop_figures_by_date" ON "central"."stop_figures" USING btree ("shift_date");--> statement-breakpoint
CREATE INDEX "work_figures_by_date" ON "central"."work_figures" USING btree ("shift_date");