-- Prepares a machine of a Citus cluster, coordinator or worker: the roles, an
-- empty database, the extension. An administrator runs it on every machine:
--
--     psql --dbname postgres --set password=… --file prepare.sql
--
-- All logins have one password here; choose three, the same on every machine. Machines
-- log in to each other as these roles: give the account that PostgreSQL runs under a
-- ~/.pgpass with them.
\set ON_ERROR_STOP on
CREATE ROLE clientintel_server LOGIN PASSWORD :'password';
-- BYPASSRLS: Citus writes imports by COPY, which row-level security refuses.
CREATE ROLE clientintel_owner LOGIN BYPASSRLS PASSWORD :'password';
CREATE ROLE clientintel LOGIN PASSWORD :'password';
CREATE ROLE clientintel_importer;
CREATE ROLE clientintel_keys;
CREATE ROLE clientintel_auditor;
GRANT clientintel_server TO clientintel_owner, clientintel;
GRANT clientintel_importer, clientintel_keys, clientintel_auditor TO clientintel_owner;
CREATE DATABASE clientintel OWNER clientintel_owner ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C' LC_CTYPE 'C.UTF-8';
\connect clientintel
CREATE EXTENSION citus;
