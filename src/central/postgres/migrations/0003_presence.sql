CREATE TABLE "central"."presence" (
	"gateway_id" text COLLATE "C" NOT NULL,
	"stream" text COLLATE "C" NOT NULL,
	"principal" text COLLATE "C" NOT NULL,
	"heard_at" double precision NOT NULL,
	"alive_until" double precision NOT NULL,
	"waiting_since" double precision,
	CONSTRAINT "presence_gateway_id_stream_principal_pk" PRIMARY KEY("gateway_id","stream","principal")
);
