-- What nodes took of limits (D-113) is worth nothing after minutes: without WAL, and empty after a crash or a failover.
CREATE UNLOGGED TABLE "central"."limit_use" (
	"node" text COLLATE "C" NOT NULL,
	"turn" integer NOT NULL,
	"at" double precision NOT NULL,
	"taken" jsonb NOT NULL,
	CONSTRAINT "limit_use_node_turn_pk" PRIMARY KEY("node","turn")
);
--> statement-breakpoint
CREATE INDEX "limit_use_at" ON "central"."limit_use" USING btree ("at");
