#!/bin/sh
# Runs once, when the database is made: the role for reports, to which the central server grants the views, and Grafana's user.
exec psql --set ON_ERROR_STOP=1 --set password="$GRAFANA_DB_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE plantgate_reader NOLOGIN;
CREATE ROLE grafana LOGIN PASSWORD :'password' IN ROLE plantgate_reader;
SQL
