-- The views for reports, and the role that may read them (D-101). Columns are only ever added.
CREATE SCHEMA plantgate;
--> statement-breakpoint
-- PostgreSQL knows no time before 4713 BC: what a gateway with a broken clock sends counts as the year 1.
CREATE FUNCTION central.time_of(ms double precision) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_timestamp(CASE WHEN ms < -62135596800000 THEN -62135596800000 ELSE ms END / 1000);
--> statement-breakpoint
-- A date that a gateway sends may have a day that its month does not have.
CREATE FUNCTION central.date_of(day text) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN make_date(greatest(substr(day, 1, 4)::int, 1), least(greatest(substr(day, 6, 2)::int, 1), 12), 1)
  + least(greatest(substr(day, 9, 2)::int, 1), 31) - 1;
--> statement-breakpoint
-- Ids are that of the gateway, a slash, and one without a slash.
CREATE FUNCTION central.gateway_of(id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(id, -1 - length(split_part(id, '/', -1)));
--> statement-breakpoint
CREATE FUNCTION central.own_id(id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN split_part(id, '/', -1);
--> statement-breakpoint
-- One status that PostgreSQL cannot read must not make the view fail for all machines. PostgreSQL before 17 catches no
-- error in parallel work.
CREATE FUNCTION central.json_or_null(written text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL UNSAFE AS $$
BEGIN
  RETURN written::jsonb;
EXCEPTION WHEN data_exception OR statement_too_complex OR program_limit_exceeded THEN
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION central.number_of(value jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(value) = 'number' AND abs(value::numeric) < 1e300 THEN value::numeric::double precision END;
--> statement-breakpoint
CREATE FUNCTION central.boolean_of(value jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(value) = 'boolean' THEN value::boolean END;
--> statement-breakpoint
CREATE INDEX series_by_gateway ON central.series (central.gateway_of(machine_id), central.own_id(machine_id), name);
--> statement-breakpoint
CREATE INDEX downtime_by_time ON central.downtime (central.time_of(started_at));
--> statement-breakpoint
CREATE INDEX downtime_by_end ON central.downtime (central.time_of(ended_at));
--> statement-breakpoint
CREATE INDEX shift_totals_by_date ON central.shift_totals (central.date_of(shift_date));
--> statement-breakpoint
-- OFFSET 0: JSON is read once for a row, not once for each column of it.
CREATE VIEW plantgate.gateway WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, own.gateway_id, told.name,
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
LEFT JOIN LATERAL (SELECT report.json -> 'health' AS json) AS health ON true;
--> statement-breakpoint
CREATE VIEW plantgate.machine WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, own.gateway_id, own.machine_id,
  present.activity, central.time_of(present.started_at) AS activity_since,
  central.time_of(stop.started_at) AS stop_since, stop.reason_id AS stop_reason_id,
  part.json ->> 'partId' AS part_id, part.json ->> 'partName' AS part_name,
  central.time_of(own.status_at) AS status_time
FROM central.machine AS own
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
) AS part ON true;
--> statement-breakpoint
CREATE VIEW plantgate.status WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, own.gateway_id, own.machine_id, central.time_of(own.status_at) AS time,
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
LEFT JOIN LATERAL (SELECT central.json_or_null(own.status) AS json OFFSET 0) AS newest ON true
WHERE own.status IS NOT NULL;
--> statement-breakpoint
CREATE VIEW plantgate.downtime WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, central.gateway_of(machine_id) AS gateway_id, central.own_id(machine_id) AS machine_id,
  central.own_id(downtime_id) AS downtime_id,
  central.time_of(started_at) AS started_at, central.time_of(ended_at) AS ended_at,
  extract(epoch FROM coalesce(central.time_of(ended_at), now()) - central.time_of(started_at))::double precision
    AS duration_seconds,
  reason_id, note, user_name
FROM central.downtime;
--> statement-breakpoint
CREATE VIEW plantgate.production WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, central.gateway_of(machine_id) AS gateway_id, central.own_id(machine_id) AS machine_id,
  central.date_of(shift_date) AS shift_date, shift_name, good_parts, bad_parts, cycles,
  running_ms / 1000 AS running_seconds, stopped_ms / 1000 AS stopped_seconds, down_ms / 1000 AS down_seconds,
  fault_ms / 1000 AS fault_seconds, offline_ms / 1000 AS offline_seconds, override_ms / 1000 AS override_seconds
FROM central.shift_totals;
--> statement-breakpoint
CREATE VIEW plantgate.variable WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, central.gateway_of(machine_id) AS gateway_id, central.own_id(machine_id) AS machine_id, name
FROM central.series;
--> statement-breakpoint
CREATE VIEW plantgate.point WITH (security_barrier) AS
SELECT 'default'::text AS plant_id, central.gateway_of(series.machine_id) AS gateway_id,
  central.own_id(series.machine_id) AS machine_id, series.name,
  central.time_of(stored.start_at + point.after_ms) AS time, point.value,
  date '1970-01-01' + stored.day AS shift_date, stored.start_at AS start_ms
FROM central.series
JOIN (
  SELECT series_id, day, start_at, step_ms, value FROM central.point_run
  UNION ALL
  SELECT series_id, day, start_at, step_ms, value FROM central.point_hour
) AS stored USING (series_id)
-- unnest gives the elements in their order, and the sum counts in the order in which it gets them: no sort is needed.
CROSS JOIN LATERAL (
  SELECT sum(element.step_ms) OVER (ROWS UNBOUNDED PRECEDING) AS after_ms, element.value
  FROM unnest(0 || stored.step_ms, stored.value) AS element (step_ms, value)
) AS point;
--> statement-breakpoint
-- PostgreSQL puts the body of this function in the place of the call. The points of a row lie in one hour: rows before
-- and behind, and whole partitions, are not read.
CREATE FUNCTION plantgate.point_between(timestamptz, timestamptz) RETURNS SETOF plantgate.point
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT * FROM plantgate.point
  WHERE time >= $1 AND time < $2
    AND start_ms > (extract(epoch FROM $1) * 1000)::bigint - 3600000
    AND start_ms < (extract(epoch FROM $2) * 1000)::bigint + 3600000
$$;
--> statement-breakpoint
DO $$
BEGIN
  -- A role belongs to the whole server: another database of it may have made it already, or makes it at this moment.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'plantgate_reader') THEN
    CREATE ROLE plantgate_reader NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE WARNING 'the owner of the database may not create the role plantgate_reader, which reads the views: an administrator may do it (central-server.md, The role plantgate_reader)';
END $$;
--> statement-breakpoint
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'plantgate_reader') THEN
    GRANT USAGE ON SCHEMA plantgate TO plantgate_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA plantgate TO plantgate_reader;
  END IF;
END $$;
