CREATE TABLE "central"."presence" (
	"gateway_id" text NOT NULL,
	"stream" text NOT NULL,
	"principal" text NOT NULL,
	"heard_at" double precision NOT NULL,
	"alive_until" double precision NOT NULL,
	"waiting_since" double precision,
	CONSTRAINT "presence_gateway_id_stream_principal_pk" PRIMARY KEY("gateway_id","stream","principal")
);
