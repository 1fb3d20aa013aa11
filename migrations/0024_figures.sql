-- What captures and write-offs sum up to by the hour, so that pages which show a day or a month of them read no entries.
-- The sums follow the ledger by themselves: of each account they hold its entries up to a number, and what is above is read
-- from the entries. So they begin empty here, and are right from the first moment on.

CREATE TABLE charge_positions (
  account_id text PRIMARY KEY,
  -- Of the newest entry that is in the sums.
  seq bigint NOT NULL
);

CREATE TABLE charge_sums (
  account_id text NOT NULL,
  -- The hours, of UTC, in which the entry was written and in which the transfer was admitted.
  charged_hour timestamptz NOT NULL,
  admitted_hour timestamptz NOT NULL,
  type text NOT NULL,
  -- Empty where the entries have none.
  key_id text NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  calls bigint NOT NULL,
  calls_without_cost bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  tokens bigint NOT NULL,
  -- Thousandths.
  images bigint NOT NULL,
  seconds bigint NOT NULL,
  revenue bigint NOT NULL,
  revenue_without_cost bigint NOT NULL,
  written_off bigint NOT NULL,
  cost bigint NOT NULL,
  -- Numbers of the entries: where the hour is among the account's.
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  CONSTRAINT charge_sums_pk PRIMARY KEY (account_id, charged_hour, admitted_hour, type, key_id, model, provider)
) WITH (fillfactor = 70); -- those of the present hour are added to

CREATE INDEX charge_sums_admitted ON charge_sums (admitted_hour);

-- When a transfer was admitted: the first 48 bits of a UUIDv7 are milliseconds.
CREATE FUNCTION tollgate_uuid_moment(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint)::float8 / 1000)
$$;

-- Operators' lists of what failed, whose it was: few rows, so that it costs next to nothing. Days before today go without, as
-- writers would wait while millions of records are read; days to come get it from their table.
CREATE INDEX requests_failed ON ONLY requests (created_at DESC, seq DESC) WHERE code IS NOT NULL OR status >= 400;
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'requests'::regclass
      AND c.relname >= 'requests' || to_char(now() AT TIME ZONE 'UTC', '_YYYY_MM_DD')
  LOOP
    EXECUTE format('CREATE INDEX %I ON %I (created_at DESC, seq DESC) WHERE code IS NOT NULL OR status >= 400',
      one.name || '_failed', one.name);
    EXECUTE format('ALTER INDEX requests_failed ATTACH PARTITION %I', one.name || '_failed');
  END LOOP;
END
$$;
