-- Rows of the views have the plant of their gateway, and a reader of some plants sees the rows of these alone (D-108).
CREATE TABLE "central"."reader_plant" (
	"role_name" text COLLATE "C" NOT NULL,
	"plant_id" text COLLATE "C" NOT NULL,
	CONSTRAINT "reader_plant_role_name_plant_id_pk" PRIMARY KEY("role_name","plant_id")
);
--> statement-breakpoint
DO $$
BEGIN
  -- A role belongs to the whole server: another database of it may have made it already, or makes it at this moment.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'plantgate_plant_reader') THEN
    CREATE ROLE plantgate_plant_reader NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE WARNING 'the owner of the database may not create the role plantgate_plant_reader, which reads the rows of some plants: an administrator may do it (central-server.md, The role plantgate_reader)';
END $$;
--> statement-breakpoint
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'plantgate_plant_reader') THEN
    GRANT USAGE ON SCHEMA plantgate TO plantgate_plant_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA plantgate TO plantgate_plant_reader;
  END IF;
END $$;
--> statement-breakpoint
-- The same results as before, in a fifth of the time where the id of the gateway has no slash: each row is asked for its plant.
CREATE OR REPLACE FUNCTION central.gateway_of(id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN split_part(id, '/', 3) = '' THEN split_part(id, '/', 1)
  ELSE left(id, -1 - length(split_part(id, '/', -1))) END;
--> statement-breakpoint
-- The role that signed in counts, so that SET ROLE opens nothing. Readers from before this step are in no group for plants,
-- and go on seeing everything.
CREATE FUNCTION central.reads_all() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN pg_has_role(session_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'central'), 'MEMBER')
  OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'plantgate_reader' AND pg_has_role(session_user, oid, 'MEMBER'))
  OR NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'plantgate_plant_reader' AND pg_has_role(session_user, oid, 'MEMBER'));
--> statement-breakpoint
-- The gateways of a reader of some plants. The joins of the views below are left out by PostgreSQL if no plant_id is asked for, and
-- what a reader may see is asked once for a query.
CREATE VIEW central.read_gateway AS
SELECT gateway_id FROM central.gateway WHERE plant_id IN (
  SELECT plant_id FROM central.reader_plant JOIN pg_roles ON rolname = role_name
  WHERE pg_has_role(session_user, oid, 'MEMBER')
);
--> statement-breakpoint
-- OFFSET 0: JSON is read once for a row, not once for each column of it.
CREATE OR REPLACE VIEW plantgate.gateway WITH (security_barrier) AS
SELECT coalesce(told.plant_id, 'default') COLLATE "default" AS plant_id, own.gateway_id, told.name,
  central.time_of(own.contact_at) AS last_contact,
  -- A contact is written within 15 s, and a gateway is silent after 60 s.
  central.time_of(own.contact_at) < now() - interval '75 s' AS is_silent,
  (SELECT count(*)::integer FROM central.machine WHERE machine.gateway_id = own.gateway_id) AS machines,
  own.records,
  health.json ->> 'version' AS version,
  health.json ->> 'timeZone' AS time_zone,
  central.time_of(central.number_of(report.json -> 'receivedAt')) AS reported_at,
  central.number_of(health.json #> '{queue,records}') AS queue_records,
  central.number_of(health.json #> '{queue,oldestAgeMs}') / 1000 AS queue_oldest_seconds,
  central.number_of(health.json -> 'setAside') AS set_aside,
  central.number_of(health.json -> 'openAlerts') AS open_alerts,
  central.number_of(health.json #> '{disk,freePercent}') AS disk_free_percent,
  central.number_of(health.json #> '{backups,newestAgeMs}') / 1000 AS backup_age_seconds,
  central.number_of(health.json -> 'certificateLeftMs') / 1000 AS certificate_left_seconds,
  (central.number_of(health.json #> '{exchange,sentAt}') + central.number_of(health.json #> '{exchange,roundTripMs}') / 2
    - central.number_of(health.json #> '{exchange,receivedAt}')) / 1000 AS clock_ahead_seconds
FROM (
  SELECT stream.gateway_id, greatest(max(stream.last_contact_at), min(gateway.heard_at)) AS contact_at,
    sum(stream.records) AS records
  FROM central.stream LEFT JOIN central.gateway USING (gateway_id) GROUP BY stream.gateway_id
) AS own
LEFT JOIN central.gateway AS told USING (gateway_id)
LEFT JOIN LATERAL (SELECT central.json_or_null(told.report) AS json OFFSET 0) AS report ON true
LEFT JOIN LATERAL (SELECT report.json -> 'health' AS json) AS health ON true
WHERE (SELECT central.reads_all()) OR own.gateway_id IN (SELECT gateway_id FROM central.read_gateway);
--> statement-breakpoint
CREATE OR REPLACE VIEW plantgate.machine WITH (security_barrier) AS
SELECT coalesce(plant.plant_id, 'default') COLLATE "default" AS plant_id, own.gateway_id, own.machine_id,
  present.activity, central.time_of(present.started_at) AS activity_since,
  central.time_of(stop.started_at) AS stop_since, stop.reason_id AS stop_reason_id,
  part.json ->> 'partId' AS part_id, part.json ->> 'partName' AS part_name,
  central.time_of(own.status_at) AS status_time
FROM central.machine AS own
LEFT JOIN central.gateway AS plant ON plant.gateway_id = own.gateway_id
LEFT JOIN LATERAL (
  SELECT activity, started_at FROM central.span
  WHERE span.machine_id = own.gateway_id || '/' || own.machine_id AND ended_at IS NULL LIMIT 1
) AS present ON true
LEFT JOIN LATERAL (
  SELECT started_at, reason_id FROM central.downtime
  WHERE downtime.machine_id = own.gateway_id || '/' || own.machine_id AND ended_at IS NULL LIMIT 1
) AS stop ON true
LEFT JOIN LATERAL (
  SELECT central.json_or_null(machine_part.json) AS json FROM central.machine_part
  WHERE machine_part.machine_id = own.gateway_id || '/' || own.machine_id OFFSET 0
) AS part ON true
WHERE (SELECT central.reads_all()) OR own.gateway_id IN (SELECT gateway_id FROM central.read_gateway);
--> statement-breakpoint
CREATE OR REPLACE VIEW plantgate.status WITH (security_barrier) AS
SELECT coalesce(plant.plant_id, 'default') COLLATE "default" AS plant_id, own.gateway_id, own.machine_id, central.time_of(own.status_at) AS time,
  central.boolean_of(newest.json -> 'running') AS running,
  central.boolean_of(newest.json -> 'machinePower') AS machine_power,
  central.boolean_of(newest.json -> 'fault') AS fault,
  central.boolean_of(newest.json -> 'override') AS override,
  central.number_of(newest.json -> 'cycle') AS cycle,
  central.number_of(newest.json -> 'goodPart') AS good_part,
  central.number_of(newest.json -> 'badPart') AS bad_part,
  central.number_of(newest.json -> 'mSecSinceBoot') / 1000 AS seconds_since_boot,
  newest.json ->> 'partId' AS part_id, newest.json ->> 'partName' AS part_name,
  newest.json ->> 'jobNumber' AS job_number, newest.json ->> 'userId' AS user_id,
  newest.json ->> 'material' AS material, newest.json
FROM central.machine AS own
LEFT JOIN central.gateway AS plant ON plant.gateway_id = own.gateway_id
LEFT JOIN LATERAL (SELECT central.json_or_null(own.status) AS json OFFSET 0) AS newest ON true
WHERE own.status IS NOT NULL
  AND ((SELECT central.reads_all()) OR own.gateway_id IN (SELECT gateway_id FROM central.read_gateway));
--> statement-breakpoint
CREATE OR REPLACE VIEW plantgate.downtime WITH (security_barrier) AS
SELECT coalesce(plant.plant_id, 'default') COLLATE "default" AS plant_id, central.gateway_of(machine_id) AS gateway_id, central.own_id(machine_id) AS machine_id,
  central.own_id(downtime_id) AS downtime_id,
  central.time_of(started_at) AS started_at, central.time_of(ended_at) AS ended_at,
  extract(epoch FROM coalesce(central.time_of(ended_at), now()) - central.time_of(started_at))::double precision
    AS duration_seconds,
  reason_id, note, user_name
FROM central.downtime LEFT JOIN central.gateway AS plant ON plant.gateway_id = central.gateway_of(machine_id)
WHERE (SELECT central.reads_all()) OR central.gateway_of(machine_id) IN (SELECT gateway_id FROM central.read_gateway);
--> statement-breakpoint
CREATE OR REPLACE VIEW plantgate.production WITH (security_barrier) AS
SELECT coalesce(plant.plant_id, 'default') COLLATE "default" AS plant_id, central.gateway_of(machine_id) AS gateway_id, central.own_id(machine_id) AS machine_id,
  central.date_of(shift_date) AS shift_date, shift_name, good_parts, bad_parts, cycles,
  running_ms / 1000 AS running_seconds, stopped_ms / 1000 AS stopped_seconds, down_ms / 1000 AS down_seconds,
  fault_ms / 1000 AS fault_seconds, offline_ms / 1000 AS offline_seconds, override_ms / 1000 AS override_seconds
FROM central.shift_totals LEFT JOIN central.gateway AS plant ON plant.gateway_id = central.gateway_of(machine_id)
WHERE (SELECT central.reads_all()) OR central.gateway_of(machine_id) IN (SELECT gateway_id FROM central.read_gateway);
--> statement-breakpoint
CREATE OR REPLACE VIEW plantgate.variable WITH (security_barrier) AS
SELECT coalesce(plant.plant_id, 'default') COLLATE "default" AS plant_id, central.gateway_of(machine_id) AS gateway_id, central.own_id(machine_id) AS machine_id, series.name
FROM central.series LEFT JOIN central.gateway AS plant ON plant.gateway_id = central.gateway_of(machine_id)
WHERE (SELECT central.reads_all()) OR central.gateway_of(machine_id) IN (SELECT gateway_id FROM central.read_gateway);
--> statement-breakpoint
CREATE OR REPLACE VIEW plantgate.point WITH (security_barrier) AS
SELECT coalesce(plant.plant_id, 'default') COLLATE "default" AS plant_id, central.gateway_of(series.machine_id) AS gateway_id,
  central.own_id(series.machine_id) AS machine_id, series.name,
  central.time_of(stored.start_at + point.after_ms) AS time, point.value,
  date '1970-01-01' + stored.day AS shift_date, stored.start_at AS start_ms
FROM central.series
LEFT JOIN central.gateway AS plant ON plant.gateway_id = central.gateway_of(series.machine_id)
JOIN (
  SELECT series_id, day, start_at, step_ms, value FROM central.point_run
  UNION ALL
  SELECT series_id, day, start_at, step_ms, value FROM central.point_hour
) AS stored USING (series_id)
-- unnest gives the elements in their order, and the sum counts in the order in which it gets them: no sort is needed.
CROSS JOIN LATERAL (
  SELECT sum(element.step_ms) OVER (ROWS UNBOUNDED PRECEDING) AS after_ms, element.value
  FROM unnest(0 || stored.step_ms, stored.value) AS element (step_ms, value)
) AS point
WHERE (SELECT central.reads_all()) OR central.gateway_of(series.machine_id) IN (SELECT gateway_id FROM central.read_gateway);
