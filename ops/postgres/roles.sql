-- Roles and databases of the PostgreSQL server: one role for the gateway and one for Temporal, each owner of its own
-- databases and of nothing else. Run once by an administrator, with both passwords in the environment:
--
--   TOLLGATE_DB_PASSWORD=… TEMPORAL_DB_PASSWORD=… psql -v ON_ERROR_STOP=1 -f ops/postgres/roles.sql
--
-- Run again, it sets the passwords anew and leaves everything else as it is. docker-compose.yml has it run on an empty volume.
\set ON_ERROR_STOP on
\getenv tollgate_password TOLLGATE_DB_PASSWORD
\getenv temporal_password TEMPORAL_DB_PASSWORD

select format('create role %I', name) from (values ('tollgate'), ('temporal')) as wanted (name)
where not exists (select from pg_roles where rolname = name) \gexec

-- Connections are pooled; the limits keep one of the two from taking all of the server's.
alter role tollgate with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
  connection limit 150 password :'tollgate_password';
alter role temporal with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
  connection limit 140 password :'temporal_password';

select format('create database %I owner %I template template0', name, owner)
from (values ('tollgate', 'tollgate'), ('temporal', 'temporal'), ('temporal_visibility', 'temporal')) as wanted (name, owner)
where not exists (select from pg_database where datname = name) \gexec

revoke connect, temporary on database tollgate, temporal, temporal_visibility, postgres from public;
