-- What was asked by the keys of an account, call by call: kept for some weeks, then dropped a day at a time.

CREATE SEQUENCE requests_seq;

CREATE TABLE requests (
  -- Orders the requests of one millisecond.
  seq bigint NOT NULL DEFAULT nextval('requests_seq'),
  -- When the head of the request was there.
  created_at timestamptz NOT NULL,
  account_id text NOT NULL,
  key_id text NOT NULL,
  -- A caller's own may come again.
  request_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  model text,
  -- 499: the caller left before an answer began.
  status integer NOT NULL,
  code text,
  latency_ms integer NOT NULL,
  first_token_ms integer,
  is_stream boolean NOT NULL,
  -- That answered, or that was asked last.
  provider text,
  -- Where more than one was asked, or one in vain: what came of each.
  attempts jsonb,
  input_tokens bigint,
  cached_input_tokens bigint,
  output_tokens bigint,
  -- Of a call; a task's is in its own row.
  cost bigint,
  task_id text,
  -- `user` of the request, and the program that sent it.
  end_user text,
  client text
) PARTITION BY RANGE (created_at);

CREATE INDEX requests_by_account ON requests (account_id, created_at DESC, seq DESC);
CREATE INDEX requests_by_time ON requests (created_at DESC, seq DESC);
CREATE INDEX requests_by_id ON requests (request_id);

-- Makes the partitions of today and the given number of days after it, and drops those that are older than `keep_days`.
-- Repeating it changes nothing, and of several callers at once one works. It waits a quarter of a second for the table,
-- since all readers and writers queue behind it, and leaves the rest to the next call.
CREATE FUNCTION tollgate_supply_request_days(days_ahead integer, keep_days integer) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '250ms' AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
  one record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7018555) THEN
    RETURN;
  END IF;
  FOR one IN
    SELECT d.day::date AS day, 'requests' || to_char(d.day, '_YYYY_MM_DD') AS name
    FROM generate_series(today::timestamp - interval '1 day', today::timestamp + make_interval(days => days_ahead), '1 day') AS d (day)
  LOOP
    IF to_regclass(one.name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF requests FOR VALUES FROM (%L) TO (%L)', one.name,
        one.day::timestamp AT TIME ZONE 'UTC', (one.day + 1)::timestamp AT TIME ZONE 'UTC');
    END IF;
  END LOOP;
  FOR one IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'requests'::regclass
      AND c.relname < 'requests' || to_char(today - keep_days, '_YYYY_MM_DD')
  LOOP
    EXECUTE format('DROP TABLE %I', one.name);
  END LOOP;
EXCEPTION
  WHEN lock_not_available THEN
    RAISE WARNING 'the days of requests are left to the next time: others have the table';
END
$$;

SELECT tollgate_supply_request_days(7, 3650);
