-- The money: holds, entries, and the processes that answer for holds.

-- One row a task or call: the once-only guard of its money. Range-partitioned by month on the transfer id (a UUIDv7, so by
-- time), which is therefore in every unique key. Holds and entries have no foreign keys: the statement that writes them
-- updates their account's and key's rows too, and triggers keep those from being deleted. Checking it again for each row
-- took a third of a commit.
CREATE TABLE holds (
  transfer_id uuid PRIMARY KEY,
  account_id text NOT NULL,
  key_id text NOT NULL,
  -- The task's id, or the request's id of a call.
  subject text NOT NULL,
  amount bigint NOT NULL,
  state text NOT NULL DEFAULT 'held',
  -- The process whose lease keeps a call's hold alive while it is held. Tasks need none.
  owner uuid,
  created_at timestamptz NOT NULL,
  CONSTRAINT holds_amount CHECK (amount >= 0),
  CONSTRAINT holds_state CHECK (state IN ('held', 'captured', 'released'))
) PARTITION BY RANGE (transfer_id);

CREATE INDEX holds_of_calls_under_way ON holds (owner) WHERE state = 'held' AND owner IS NOT NULL;

-- The ledger. An entry's legs (columns `d_…`) are what it adds to each ledger account; they sum to zero.
CREATE TABLE entries (
  transfer_id uuid NOT NULL,
  type text NOT NULL,
  account_id text NOT NULL,
  -- The account's own numbering: the order of its ledger and the cursor of its pages.
  seq bigint NOT NULL,
  created_at timestamptz NOT NULL,
  d_available bigint NOT NULL,
  d_held bigint NOT NULL,
  d_revenue bigint NOT NULL,
  d_top_ups bigint NOT NULL,
  d_adjustments bigint NOT NULL,
  d_write_offs bigint NOT NULL,
  available_after bigint NOT NULL,
  held_after bigint NOT NULL,
  key_id text,
  task_id text,
  request_id text,
  model text,
  units numeric(18, 3),
  unit text,
  unit_price bigint,
  lines jsonb,
  price_version text,
  usage_source text,
  reason text,
  -- Only on the last entry that a commit gave the account: the chain's head after it.
  link bytea,
  CONSTRAINT entries_transfer_id_type_pk PRIMARY KEY (transfer_id, type),
  CONSTRAINT entries_type CHECK (type IN ('credit', 'hold', 'capture', 'release', 'adjustment', 'write_off')),
  CONSTRAINT entries_sum_to_zero
    CHECK (d_available + d_held + d_revenue + d_top_ups + d_adjustments + d_write_offs = 0),
  CONSTRAINT entries_never_below_zero CHECK (available_after >= 0 AND held_after >= 0)
) PARTITION BY RANGE (transfer_id);

CREATE INDEX entries_account_order ON entries (account_id, seq);
CREATE INDEX entries_task ON entries (task_id) WHERE task_id IS NOT NULL;
-- By its hold; the other entries of a request share the transfer.
CREATE INDEX entries_request ON entries (request_id) WHERE type = 'hold';

-- Rows of months that have no partition (0004_partitions.sql) go here, so that nothing is refused for want of one.
CREATE TABLE holds_rest PARTITION OF holds DEFAULT;
CREATE TABLE entries_rest PARTITION OF entries DEFAULT;

-- Ends a statement that writes with an error if it has not written all that it should have: nothing of it stays. The error
-- has a state of ours, and the guard's name in the place of a constraint's. PostgreSQL puts the body of `tollgate_require`
-- in the place of its call, so a guard that holds calls nothing: three of them cost what one division by a CASE does, and
-- as a function in PL/pgSQL 2 microseconds each.
CREATE FUNCTION tollgate_fail(guard text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'guard %', guard USING ERRCODE = 'TG001', CONSTRAINT = guard;
END
$$;
CREATE FUNCTION tollgate_require(ok boolean, guard text) RETURNS boolean LANGUAGE sql AS $$
  SELECT CASE WHEN ok THEN true ELSE tollgate_fail(guard) END
$$;

-- Processes that hold money for calls, with the leases that they renew. An expired one's holds are swept.
CREATE TABLE owners (
  id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- Partitions inherit triggers of rows and not those of TRUNCATE, so each partition gets its own of the latter.
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE ON entries
  FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON entries_rest FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER holds_keep BEFORE DELETE ON holds FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON holds FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON holds_rest FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();

-- A hold is closed once and never opened again; its amount and whose it is never change. Closing takes the owner away, so
-- that a closed hold with an owner was not closed by the ledger. The condition stands in the trigger: an update that is
-- allowed then calls no function.
CREATE FUNCTION tollgate_guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'hold % is already %', OLD.transfer_id, OLD.state;
END
$$;
CREATE TRIGGER holds_close_once BEFORE UPDATE ON holds FOR EACH ROW
  WHEN (OLD.state <> 'held' OR NEW.amount <> OLD.amount OR NEW.account_id <> OLD.account_id OR NEW.key_id <> OLD.key_id
    OR NEW.subject <> OLD.subject OR NEW.transfer_id <> OLD.transfer_id)
  EXECUTE FUNCTION tollgate_guard_hold();
