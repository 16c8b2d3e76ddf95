CREATE SCHEMA "central";
--> statement-breakpoint
CREATE TABLE "central"."anomaly" (
	"machine_id" text COLLATE "C" NOT NULL,
	"at" double precision NOT NULL,
	"counter" text COLLATE "C" NOT NULL,
	"from_count" double precision NOT NULL,
	"to_count" double precision NOT NULL,
	CONSTRAINT "anomaly_machine_id_at_counter_pk" PRIMARY KEY("machine_id","at","counter")
);
--> statement-breakpoint
CREATE TABLE "central"."downtime" (
	"downtime_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"started_at" double precision NOT NULL,
	"ended_at" double precision,
	"reason_id" text COLLATE "C",
	"note" text COLLATE "C",
	"user_name" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "central"."machine_part" (
	"machine_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"json" text COLLATE "C",
	"at" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "central"."shift_totals" (
	"machine_id" text COLLATE "C" NOT NULL,
	"shift_date" text COLLATE "C" NOT NULL,
	"shift_name" text COLLATE "C" NOT NULL,
	"good_parts" double precision NOT NULL,
	"bad_parts" double precision NOT NULL,
	"cycles" double precision NOT NULL,
	"running_ms" double precision NOT NULL,
	"stopped_ms" double precision NOT NULL,
	"down_ms" double precision NOT NULL,
	"fault_ms" double precision NOT NULL,
	"override_ms" double precision NOT NULL,
	"offline_ms" double precision NOT NULL,
	CONSTRAINT "shift_totals_machine_id_shift_date_shift_name_pk" PRIMARY KEY("machine_id","shift_date","shift_name")
);
--> statement-breakpoint
CREATE TABLE "central"."span" (
	"span_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"activity" text COLLATE "C" NOT NULL,
	"started_at" double precision NOT NULL,
	"ended_at" double precision
);
--> statement-breakpoint
CREATE TABLE "central"."work_session" (
	"session_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"job_number" text COLLATE "C",
	"part_id" text COLLATE "C",
	"user_id" text COLLATE "C",
	"started_at" double precision NOT NULL,
	"last_active_at" double precision NOT NULL,
	"ended_at" double precision,
	"good_parts" double precision NOT NULL,
	"bad_parts" double precision NOT NULL,
	"cycles" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "central"."point_hour" (
	"series_id" bigint NOT NULL,
	"day" integer NOT NULL,
	"start_at" bigint NOT NULL,
	"step_ms" integer[] NOT NULL,
	"value" double precision[] NOT NULL,
	CONSTRAINT "point_hour_series_id_start_at_day_pk" PRIMARY KEY("series_id","start_at","day")
) PARTITION BY RANGE ("start_at");
--> statement-breakpoint
CREATE TABLE "central"."point_hour_default" PARTITION OF "central"."point_hour" DEFAULT;
--> statement-breakpoint
CREATE TABLE "central"."point_run" (
	"series_id" bigint NOT NULL,
	"day" integer NOT NULL,
	"start_at" bigint NOT NULL,
	"step_ms" integer[] NOT NULL,
	"value" double precision[] NOT NULL
) PARTITION BY RANGE ("start_at");
--> statement-breakpoint
CREATE TABLE "central"."point_run_default" PARTITION OF "central"."point_run" DEFAULT;
--> statement-breakpoint
CREATE TABLE "central"."series" (
	"series_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "central"."series_series_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"machine_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	CONSTRAINT "series_machine_id_name_unique" UNIQUE("machine_id","name")
);
--> statement-breakpoint
CREATE TABLE "central"."catch_up" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"at" double precision NOT NULL,
	"shift_date" text COLLATE "C" NOT NULL,
	"shift_name" text COLLATE "C" NOT NULL,
	"shift_offset" text COLLATE "C" NOT NULL,
	"session_id" text COLLATE "C",
	"session_offset" text COLLATE "C",
	"former" text COLLATE "C" NOT NULL,
	CONSTRAINT "catch_up_gateway_id_machine_id_stream_pk" PRIMARY KEY("gateway_id","machine_id","stream")
);
--> statement-breakpoint
CREATE TABLE "central"."gateway" (
	"gateway_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"holder" text COLLATE "C",
	"owner" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "central"."machine" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"status_at" double precision,
	"status_stream" text COLLATE "C",
	"status" text COLLATE "C",
	CONSTRAINT "machine_gateway_id_machine_id_pk" PRIMARY KEY("gateway_id","machine_id")
);
--> statement-breakpoint
CREATE TABLE "central"."refusal" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"since" double precision NOT NULL,
	"principal" text COLLATE "C" NOT NULL,
	"overruled" boolean NOT NULL,
	CONSTRAINT "refusal_gateway_id_stream_pk" PRIMARY KEY("gateway_id","stream")
);
--> statement-breakpoint
CREATE TABLE "central"."stream" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"place" integer NOT NULL,
	"position" text COLLATE "C" NOT NULL,
	"refused" text COLLATE "C" NOT NULL,
	"last_contact_at" double precision NOT NULL,
	"records" double precision NOT NULL,
	"principal" text COLLATE "C" NOT NULL,
	"newest_point_at" double precision,
	"directory" text COLLATE "C" NOT NULL,
	CONSTRAINT "stream_gateway_id_stream_pk" PRIMARY KEY("gateway_id","stream")
);
--> statement-breakpoint
CREATE TABLE "central"."stream_session" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"session_id" text COLLATE "C" NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"last_active_at" double precision NOT NULL,
	"good_parts" double precision NOT NULL,
	"bad_parts" double precision NOT NULL,
	"cycles" double precision NOT NULL,
	CONSTRAINT "stream_session_gateway_id_session_id_stream_pk" PRIMARY KEY("gateway_id","session_id","stream")
);
--> statement-breakpoint
CREATE TABLE "central"."stream_shift" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"machine_id" text COLLATE "C" NOT NULL,
	"shift_date" text COLLATE "C" NOT NULL,
	"shift_name" text COLLATE "C" NOT NULL,
	"good_parts" double precision NOT NULL,
	"bad_parts" double precision NOT NULL,
	"cycles" double precision NOT NULL,
	"running_ms" double precision NOT NULL,
	"stopped_ms" double precision NOT NULL,
	"down_ms" double precision NOT NULL,
	"fault_ms" double precision NOT NULL,
	"override_ms" double precision NOT NULL,
	"offline_ms" double precision NOT NULL,
	"reading" text COLLATE "C",
	"read_at" double precision,
	CONSTRAINT "stream_shift_gateway_id_machine_id_shift_date_shift_name_stream_pk" PRIMARY KEY("gateway_id","machine_id","shift_date","shift_name","stream")
);
--> statement-breakpoint
CREATE INDEX "downtime_by_machine" ON "central"."downtime" USING btree ("machine_id","started_at");--> statement-breakpoint
CREATE INDEX "downtime_by_start" ON "central"."downtime" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "downtime_open" ON "central"."downtime" USING btree ("machine_id") WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX "span_by_machine" ON "central"."span" USING btree ("machine_id","started_at");--> statement-breakpoint
CREATE INDEX "span_open" ON "central"."span" USING btree ("machine_id") WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX "work_session_by_machine" ON "central"."work_session" USING btree ("machine_id","started_at");--> statement-breakpoint
CREATE INDEX "work_session_open" ON "central"."work_session" USING btree ("machine_id") WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX "point_run_by_series" ON "central"."point_run" USING btree ("series_id","start_at");--> statement-breakpoint
CREATE INDEX "stream_session_by_time" ON "central"."stream_session" USING btree ("last_active_at");--> statement-breakpoint
CREATE INDEX "stream_shift_by_date" ON "central"."stream_shift" USING btree ("shift_date");