-- By hand: what drizzle-kit can't say of the tables.

-- The ledger is append-only; triggers say so with this.
CREATE FUNCTION tollgate_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % of % refused', TG_OP, TG_TABLE_NAME;
END
$$;
--> statement-breakpoint
-- A month's partitions of holds and entries. Both are cut at the same UUIDv7 bounds (the first 48 bits are the time in
-- milliseconds), so that a transfer's hold and all its entries lie in the same month.
CREATE FUNCTION tollgate_uuid_floor(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
--> statement-breakpoint
-- Makes the partitions of this month and of the given number of months after it; repeating it changes nothing.
-- Rows of months that have none go to the default partitions, so that nothing is ever refused for want of one; a month
-- that has rows there already keeps them there and gets no partition. Truncate triggers are not inherited as row triggers
-- are, so each partition gets its own.
CREATE FUNCTION tollgate_ensure_partitions(months_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  first_day timestamptz;
  partition_name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['holds', 'entries'] LOOP
    FOR month IN 0..months_ahead LOOP
      first_day := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => month)) AT TIME ZONE 'UTC';
      partition_name := parent || to_char(first_day AT TIME ZONE 'UTC', '_YYYY_MM');
      CONTINUE WHEN to_regclass(partition_name) IS NOT NULL;
      BEGIN
        EXECUTE format(
          'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
          partition_name, parent,
          tollgate_uuid_floor(first_day),
          tollgate_uuid_floor(((first_day AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC')
        );
        EXECUTE format(
          'CREATE TRIGGER no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change()',
          partition_name
        );
      EXCEPTION WHEN check_violation THEN
        RAISE WARNING 'rows of % lie in %_rest already and stay there', partition_name, parent;
      END;
    END LOOP;
  END LOOP;
END
$$;
--> statement-breakpoint
CREATE TABLE holds_rest PARTITION OF holds DEFAULT;
--> statement-breakpoint
CREATE TABLE entries_rest PARTITION OF entries DEFAULT;
--> statement-breakpoint
SELECT tollgate_ensure_partitions(2);
--> statement-breakpoint
-- Row triggers on the parent are inherited by every partition, those made later included.
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE ON entries
  FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON entries_rest
  FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON holds
  FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON holds_rest
  FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
-- A hold is closed once and never opened again, and neither its owner's account nor its amount ever changes.
CREATE FUNCTION tollgate_guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'held' OR NEW.amount <> OLD.amount OR NEW.account_id <> OLD.account_id OR NEW.key_id <> OLD.key_id
     OR NEW.subject <> OLD.subject THEN
    RAISE EXCEPTION 'hold % is already %', OLD.transfer_id, OLD.state;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER holds_close_once BEFORE UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION tollgate_guard_hold();
--> statement-breakpoint
CREATE TRIGGER holds_keep BEFORE DELETE ON holds FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
--> statement-breakpoint
-- A task's state moves as the table in src/domain/tasks/task-states.ts says; a final one stays.
CREATE FUNCTION tollgate_guard_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state IN ('succeeded', 'failed', 'cancelled') OR NEW.state = 'accepted' THEN
    RAISE EXCEPTION 'task % is %: it can''t become %', OLD.id, OLD.state, NEW.state;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER tasks_move BEFORE UPDATE OF state ON tasks
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tollgate_guard_task();
