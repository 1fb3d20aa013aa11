-- The months of holds, entries and tasks. Holds and entries are cut at the same UUIDv7 bounds, so that a transfer's hold
-- and all its entries lie in the same month.

-- The smallest UUIDv7 from a moment on: its first 48 bits are the time in milliseconds.
CREATE FUNCTION tollgate_uuid_floor(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The smallest id of a kind from a moment on: 12 hexadecimal digits of its milliseconds behind the kind's prefix.
CREATE FUNCTION tollgate_id_floor(prefix text, moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT prefix || lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0')
$$;

-- The partitions of this month and of the given number of months after it that are not there, the earliest first.
CREATE FUNCTION tollgate_missing_partitions(months_ahead integer)
RETURNS TABLE (name text, parent text, rest text, key text, first text, past text, keeps boolean, first_day timestamp)
LANGUAGE sql STABLE AS $$
  WITH months AS (
    SELECT m.month AS first_day, m.month + interval '1 month' AS last_day FROM (
      SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead) AS month
      FROM generate_series(0, months_ahead) AS ahead) AS m
  ), cut AS (
    SELECT parent, months.first_day, 'transfer_id' AS key,
      tollgate_uuid_floor(months.first_day AT TIME ZONE 'UTC')::text AS first,
      tollgate_uuid_floor(months.last_day AT TIME ZONE 'UTC')::text AS past, true AS keeps
    FROM months, unnest(ARRAY['holds', 'entries']) AS parent
    UNION ALL
    SELECT kinds.parent, months.first_day, 'id', tollgate_id_floor(kinds.prefix, months.first_day AT TIME ZONE 'UTC'),
      tollgate_id_floor(kinds.prefix, months.last_day AT TIME ZONE 'UTC'), false
    FROM months,
      (VALUES ('tasks_image', 'img_'), ('tasks_video', 'vid_'), ('tasks_avatar_talk', 'avt_')) AS kinds (parent, prefix)
  )
  SELECT cut.parent || to_char(cut.first_day, '_YYYY_MM'), cut.parent, cut.parent || '_rest', cut.key, cut.first, cut.past,
    cut.keeps, cut.first_day
  FROM cut WHERE to_regclass(cut.parent || to_char(cut.first_day, '_YYYY_MM')) IS NULL ORDER BY cut.first_day, cut.parent
$$;

-- Makes the partitions of this month and of the given number of months after it. Repeating it changes nothing, and of
-- several callers at once one works. Its lock is its own: the sweep of holds has 7018552.
-- All writes queue behind a transaction that waits for a table, so this waits a quarter of a second and then leaves the
-- rest to the next call, long before it is needed: an audit may have the tables for minutes. It locks the accounts, so that
-- no commit of the ledger is under way: each could wait for the other.
-- A month whose rows are in a `_rest` already keeps them there and gets no partition. PostgreSQL reads the whole `_rest`
-- for a new partition while commits wait: one larger than `rest_bytes_max` is left to `tollgate migrate`, which sets no
-- bound. Partitions don't inherit triggers of TRUNCATE.
CREATE FUNCTION tollgate_ensure_partitions(months_ahead integer, rest_bytes_max bigint DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '250ms' AS $$
DECLARE
  wanted record;
  is_taken boolean;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7018554) THEN
    RETURN;
  END IF;
  FOR wanted IN SELECT * FROM tollgate_missing_partitions(months_ahead) LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE %I >= %L AND %I < %L)',
      wanted.rest, wanted.key, wanted.first, wanted.key, wanted.past) INTO is_taken;
    IF is_taken THEN
      RAISE WARNING 'rows of % lie in % already and stay there', wanted.name, wanted.rest;
      CONTINUE;
    END IF;
    IF pg_relation_size(wanted.rest::regclass) > rest_bytes_max THEN
      RAISE WARNING '% is left to tollgate migrate: % is too large to be looked through in passing', wanted.name, wanted.rest;
      CONTINUE;
    END IF;
    BEGIN
      LOCK TABLE accounts IN EXCLUSIVE MODE;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        wanted.name, wanted.parent, wanted.first, wanted.past);
      IF wanted.keeps THEN
        EXECUTE format('CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT
          EXECUTE FUNCTION tollgate_refuse_change()', wanted.name);
      END IF;
    EXCEPTION
      WHEN check_violation THEN
        RAISE WARNING 'rows of % lie in % already and stay there', wanted.name, wanted.rest;
      WHEN lock_not_available THEN
        RAISE WARNING '% is left to the next time: others have its tables', wanted.name;
        EXIT;
      WHEN invalid_object_definition THEN
        RAISE WARNING '% can''t be made: this collation doesn''t order ids by time', wanted.name;
    END;
  END LOOP;
END
$$;

SELECT tollgate_ensure_partitions(2);
