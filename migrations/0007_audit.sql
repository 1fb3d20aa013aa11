-- What an auditor reads: the audit log of administrative actions, and the audits of the ledger that were made.

-- Who did what to which account, key or person, and what it has been since. Chained as the ledger's entries are; the head
-- is in `chains`.
CREATE TABLE acts (
  -- From 1, without a gap.
  seq bigint PRIMARY KEY,
  at timestamptz NOT NULL,
  -- `cli:<user of the machine>`, `key:<key id>`, `person:<person id>` or `tollgate` itself.
  actor text NOT NULL,
  action text NOT NULL,
  account_id text,
  -- The account, key or person that was changed.
  subject text,
  -- All that is set of the subject, as it is from then on.
  facts jsonb,
  -- What else there is to say, such as an amount.
  details jsonb,
  reason text,
  link bytea NOT NULL,
  CONSTRAINT acts_link_length CHECK (octet_length(link) = 32)
);

CREATE INDEX acts_of_subject ON acts (subject, seq);
CREATE INDEX acts_of_account ON acts (account_id, seq);

-- Heads of chains that belong to no account: how many rows, and the link of the last one.
CREATE TABLE chains (
  name text PRIMARY KEY,
  seq bigint NOT NULL,
  head bytea NOT NULL
);

-- The audit log is append-only, as the ledger is, and its head is never deleted.
CREATE TRIGGER acts_append_only BEFORE UPDATE OR DELETE ON acts
  FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON acts FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER chains_keep BEFORE DELETE ON chains FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON chains FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();

-- Audits that were made, with what they found.
CREATE TABLE audits (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  -- Only what is newer was looked at.
  since timestamptz,
  agrees boolean NOT NULL,
  -- Counts of what was looked at, and the first of what disagrees.
  report jsonb NOT NULL,
  -- The heads of all chains when it agreed: number and keyed hash of the list in the blob store.
  anchor jsonb,
  -- Keyed hash over all of it.
  seal bytea NOT NULL
);

CREATE INDEX audits_order ON audits (finished_at);

-- All that people set of an account, key or person, as the audit log keeps it: written by the transaction that changes the
-- row, and compared with the row by the audit. Moments are in UTC to the microsecond, whatever the session's time zone.
CREATE FUNCTION tollgate_moment(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- Addresses of webhooks often hold a token, and the log is kept for good: it has their digest.
CREATE FUNCTION tollgate_address_digest(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'sha256:' || encode(sha256(convert_to(address, 'UTF8')), 'hex')
$$;

CREATE FUNCTION tollgate_account_facts(a accounts) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', a.id, 'name', a.name, 'status', a.status, 'created_at', tollgate_moment(a.created_at),
    'webhook_url', tollgate_address_digest(a.webhook_url), 'low_balance', a.low_balance::text)
$$;

CREATE FUNCTION tollgate_key_facts(k api_keys) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', k.id, 'account_id', k.account_id, 'name', k.name, 'level', k.level,
    'hash', encode(k.hash, 'hex'), 'start', k.start, 'last4', k.last4, 'models', to_jsonb(k.models),
    'call_limits', k.call_limits, 'spend_limit', k.spend_limit, 'max_running_tasks', k.max_running_tasks,
    'expires_at', tollgate_moment(k.expires_at), 'revoked_at', tollgate_moment(k.revoked_at),
    'created_at', tollgate_moment(k.created_at))
$$;

-- Of the password only a digest of its hash.
CREATE FUNCTION tollgate_person_facts(p people) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', p.id, 'email', p.email, 'is_operator', p.is_operator,
    'disabled_at', tollgate_moment(p.disabled_at), 'created_at', tollgate_moment(p.created_at),
    'password_digest', encode(sha256(convert_to(p.password_hash, 'UTF8')), 'hex'),
    'memberships', (SELECT coalesce(jsonb_object_agg(m.account_id,
        jsonb_build_object('role', m.role, 'since', tollgate_moment(m.created_at))), '{}')
      FROM memberships m WHERE m.person_id = p.id))
$$;
