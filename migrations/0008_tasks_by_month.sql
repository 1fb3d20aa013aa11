-- By hand: drizzle-kit can't say partitions. Tasks are cut as the ledger is, by month, on the time in their ids, which is
-- in the primary key, so that a look-up by id goes to one partition. An id begins with its kind, so each kind has months
-- of its own. No row is written: the table that was becomes the partition of all ids before the first month. Meanwhile it is
-- read once, to prove that none of its ids is later (some seconds for a million tasks): until then all writes wait, those
-- of accounts, keys and holds as well, which the foreign keys need to stand still. For each lock it waits no longer than this.
SET LOCAL lock_timeout = '5s';
--> statement-breakpoint
-- In the order in which the gateway locks them.
LOCK TABLE accounts, api_keys IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
LOCK TABLE holds IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
LOCK TABLE idempotency_keys, events, intents, provider_jobs IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_task_id_tasks_id_fk;
--> statement-breakpoint
ALTER TABLE intents DROP CONSTRAINT intents_task_id_tasks_id_fk;
--> statement-breakpoint
ALTER TABLE provider_jobs DROP CONSTRAINT provider_jobs_task_id_tasks_id_fk;
--> statement-breakpoint
ALTER TABLE events DROP CONSTRAINT events_task_id_tasks_id_fk;
--> statement-breakpoint
DROP TRIGGER tasks_move ON tasks;
--> statement-breakpoint
ALTER TABLE tasks RENAME TO tasks_earlier;
--> statement-breakpoint
DO $$
DECLARE
  index_name text;
BEGIN
  -- Those that an operator has made keep their names.
  FOR index_name IN SELECT relname FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = 'tasks_earlier'::regclass AND relname LIKE 'tasks\_%'
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name, replace(index_name, 'tasks_', 'tasks_earlier_'));
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE TABLE tasks (LIKE tasks_earlier INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMMENTS)
  PARTITION BY RANGE (id);
--> statement-breakpoint
ALTER TABLE tasks ADD PRIMARY KEY (id);
--> statement-breakpoint
ALTER TABLE tasks ADD CONSTRAINT tasks_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id);
--> statement-breakpoint
ALTER TABLE tasks ADD CONSTRAINT tasks_key_id_api_keys_id_fk FOREIGN KEY (key_id) REFERENCES api_keys (id);
--> statement-breakpoint
ALTER TABLE tasks ADD CONSTRAINT tasks_hold FOREIGN KEY (transfer_id) REFERENCES holds (transfer_id);
--> statement-breakpoint
CREATE INDEX tasks_account_order ON tasks (account_id, created_at);
--> statement-breakpoint
CREATE INDEX tasks_of_key ON tasks (key_id, created_at);
--> statement-breakpoint
CREATE INDEX tasks_of_kind ON tasks (account_id, kind, created_at);
--> statement-breakpoint
CREATE INDEX tasks_of_model ON tasks (account_id, model, created_at);
--> statement-breakpoint
CREATE INDEX tasks_with_error ON tasks (account_id, created_at) WHERE error_code IS NOT NULL;
--> statement-breakpoint
CREATE INDEX tasks_removed ON tasks (account_id, created_at) WHERE removed_at IS NOT NULL AND error_code IS NULL;
--> statement-breakpoint
CREATE INDEX tasks_model_outcomes ON tasks (model, finished_at);
--> statement-breakpoint
CREATE INDEX tasks_cancel_pending ON tasks (finished_at) WHERE cancel_pending;
--> statement-breakpoint
CREATE INDEX tasks_to_start ON tasks (created_at) WHERE started_at IS NULL AND finished_at IS NULL;
--> statement-breakpoint
CREATE INDEX tasks_under_way ON tasks (started_at) WHERE finished_at IS NULL;
--> statement-breakpoint
CREATE INDEX tasks_to_remove ON tasks (kind, finished_at) WHERE removed_at IS NULL AND finished_at IS NOT NULL;
--> statement-breakpoint
-- Its indexes and foreign keys are those of the parent and are taken over as they are.
ALTER TABLE tasks ATTACH PARTITION tasks_earlier DEFAULT;
--> statement-breakpoint
CREATE TRIGGER tasks_move BEFORE UPDATE OF state ON tasks
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tollgate_guard_task();
--> statement-breakpoint
-- Who may read the table may read what has its name now.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN
    SELECT a.privilege_type, a.is_grantable, coalesce(quote_ident(r.rolname), 'PUBLIC') AS grantee
    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.oid = 'tasks_earlier'::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON tasks TO %s', given.privilege_type, given.grantee)
      || CASE WHEN given.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END;
  END LOOP;
END
$$;
--> statement-breakpoint
-- The smallest id of a kind from a moment on: 12 hexadecimal digits of its milliseconds behind the kind's prefix.
CREATE FUNCTION tollgate_id_floor(prefix text, moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT prefix || lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0')
$$;
--> statement-breakpoint
-- The months of each kind begin with this one where there are no tasks, else with the first that no task can be of yet,
-- though a process that makes ids may have a clock that is ahead. Ids that don't begin with a zero have no time of ours.
DO $$
DECLARE
  first_day timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  last_moment timestamptz;
  kinds text[][] := ARRAY[['image', 'img_'], ['video', 'vid_'], ['avatar_talk', 'avt_']];
  prefix text;
BEGIN
  SELECT to_timestamp(max(('x' || lpad(substr(id, 5, 12), 16, '0'))::bit(64)::bigint) / 1000) INTO last_moment
  FROM tasks, unnest(ARRAY['img_', 'vid_', 'avt_']) AS p
  WHERE id = (SELECT max(t.id) FROM tasks t WHERE t.id >= p || '0' AND t.id < p || '1') AND id ~ '^[a-z]{3}_0[0-9a-f]{11}';
  IF last_moment IS NOT NULL THEN
    first_day := (date_trunc('month', greatest(last_moment, now() + interval '1 day') AT TIME ZONE 'UTC') + interval '1 month')
      AT TIME ZONE 'UTC';
  END IF;
  -- Said once and read once, in place of once a kind.
  EXECUTE (
    SELECT 'ALTER TABLE tasks_earlier ADD CONSTRAINT tasks_before_months CHECK ('
      || string_agg(format('(id < %L OR id >= %L)', tollgate_id_floor(p, first_day), p || '1'), ' AND ') || ')'
    FROM unnest(ARRAY['img_', 'vid_', 'avt_']) AS p);
  FOR kind IN 1..array_length(kinds, 1) LOOP
    prefix := kinds[kind][2];
    EXECUTE format('CREATE TABLE %I PARTITION OF tasks FOR VALUES FROM (%L) TO (%L) PARTITION BY RANGE (id)',
      'tasks_' || kinds[kind][1], tollgate_id_floor(prefix, first_day), prefix || '1');
    EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', 'tasks_' || kinds[kind][1] || '_rest', 'tasks_' || kinds[kind][1]);
  END LOOP;
  ALTER TABLE tasks_earlier DROP CONSTRAINT tasks_before_months;
END
$$;
--> statement-breakpoint
-- They held until now; that they do is asked outside of this transaction (migrateDatabase).
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_task_id_tasks_id_fk FOREIGN KEY (task_id) REFERENCES tasks (id) NOT VALID;
--> statement-breakpoint
ALTER TABLE intents ADD CONSTRAINT intents_task_id_tasks_id_fk FOREIGN KEY (task_id) REFERENCES tasks (id) NOT VALID;
--> statement-breakpoint
ALTER TABLE provider_jobs ADD CONSTRAINT provider_jobs_task_id_tasks_id_fk FOREIGN KEY (task_id) REFERENCES tasks (id) NOT VALID;
--> statement-breakpoint
ALTER TABLE events ADD CONSTRAINT events_task_id_tasks_id_fk FOREIGN KEY (task_id) REFERENCES tasks (id) NOT VALID;
--> statement-breakpoint
-- Makes the partitions of this month and of the given number of months after it; repeating it changes nothing, and of
-- several at once one works. All writes queue behind who waits for a table, so that this waits a quarter of a second and
-- then leaves the rest to the next time, long before it is needed: an audit may have the tables for minutes. No commit of
-- the ledger is under way meanwhile, or each could wait for the other. Rows of months that have none go to a `_rest`, so
-- that nothing is ever refused for want of one; a month that has rows there already keeps them there and gets no
-- partition. Truncate triggers are not inherited as row triggers are.
CREATE OR REPLACE FUNCTION tollgate_ensure_partitions(months_ahead integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '250ms' AS $$
DECLARE
  wanted record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7018552) THEN
    RETURN;
  END IF;
  FOR wanted IN
    WITH months AS (
      SELECT month AS first_day, month + interval '1 month' AS last_day FROM (
        SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead) AS month
        FROM generate_series(0, months_ahead) AS ahead) AS m
    ), cut AS (
      SELECT parent, first_day, tollgate_uuid_floor(first_day AT TIME ZONE 'UTC')::text AS first,
        tollgate_uuid_floor(last_day AT TIME ZONE 'UTC')::text AS past, true AS keeps
      FROM months, unnest(ARRAY['holds', 'entries']) AS parent
      UNION ALL
      SELECT parent, first_day, tollgate_id_floor(prefix, first_day AT TIME ZONE 'UTC'),
        tollgate_id_floor(prefix, last_day AT TIME ZONE 'UTC'), false
      FROM months,
        (VALUES ('tasks_image', 'img_'), ('tasks_video', 'vid_'), ('tasks_avatar_talk', 'avt_')) AS kinds (parent, prefix)
      -- Tasks from before the months are in a partition of their own.
      WHERE tollgate_id_floor(prefix, first_day AT TIME ZONE 'UTC') >= (
        SELECT substring(pg_get_expr(relpartbound, oid) FROM $re$FROM \('([^']+)'\)$re$)
        FROM pg_class WHERE oid = to_regclass(parent))
    )
    SELECT *, parent || to_char(first_day, '_YYYY_MM') AS name FROM cut
    WHERE to_regclass(parent || to_char(first_day, '_YYYY_MM')) IS NULL ORDER BY first_day, parent
  LOOP
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
        RAISE WARNING 'rows of % lie in %_rest already and stay there', wanted.name, wanted.parent;
      WHEN lock_not_available THEN
        RAISE WARNING '% is left to the next time: others have its tables', wanted.name;
        EXIT;
      WHEN invalid_object_definition THEN
        RAISE WARNING '% can''t be made: this collation doesn''t order ids by time', wanted.name;
    END;
  END LOOP;
END
$$;
--> statement-breakpoint
SELECT tollgate_ensure_partitions(2);
