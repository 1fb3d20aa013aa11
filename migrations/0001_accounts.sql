-- Customers, their API keys, and what belongs to the installation as a whole.

CREATE TABLE installation (
  -- Facts of this installation; the fingerprint of TOLLGATE_SECRET is one.
  name text PRIMARY KEY,
  value text NOT NULL
);

-- Customers. `available` and `held` are written by the transaction that writes the entries, never on their own.
CREATE TABLE accounts (
  id text PRIMARY KEY,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active',
  available bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  -- Part of a charge had to be written off: the account is refused until it is credited.
  in_arrears boolean NOT NULL DEFAULT false,
  -- Number of the newest entry, and so the count of all: they are numbered from 1 without a gap.
  seq bigint NOT NULL DEFAULT 0,
  -- Head of the keyed hash chain over the account's entries.
  chain bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Receives the account's own events, and those of tasks that name no address.
  webhook_url text,
  -- Below this (available and held together) the account is low. Crossing it is an event.
  low_balance bigint,
  is_low boolean NOT NULL DEFAULT false,
  CONSTRAINT accounts_id_form CHECK (id ~ '^acc_'),
  CONSTRAINT accounts_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
  CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended')),
  CONSTRAINT accounts_never_below_zero CHECK (available >= 0 AND held >= 0),
  CONSTRAINT accounts_chain_length CHECK (octet_length(chain) = 32),
  CONSTRAINT accounts_low_balance CHECK (low_balance > 0),
  CONSTRAINT accounts_is_low CHECK (low_balance IS NOT NULL OR NOT is_low)
);

-- API keys with their counters: one row a key, locked by the admission that counts.
CREATE TABLE api_keys (
  id text PRIMARY KEY,
  account_id text NOT NULL CONSTRAINT api_keys_account_id_accounts_id_fk REFERENCES accounts,
  name text NOT NULL,
  level text NOT NULL,
  -- Keyed hash of the key. The key itself is stored nowhere.
  hash bytea NOT NULL,
  start text NOT NULL,
  last4 text NOT NULL,
  models text[],
  call_limits jsonb NOT NULL DEFAULT '[]',
  spend_limit jsonb,
  max_running_tasks integer,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Names the windows that the counters belong to. A counter of a window that has passed counts as zero.
  counted_at timestamptz,
  calls_minute bigint NOT NULL DEFAULT 0,
  calls_hour bigint NOT NULL DEFAULT 0,
  calls_day bigint NOT NULL DEFAULT 0,
  calls_month bigint NOT NULL DEFAULT 0,
  calls_total bigint NOT NULL DEFAULT 0,
  spent_minute bigint NOT NULL DEFAULT 0,
  spent_hour bigint NOT NULL DEFAULT 0,
  spent_day bigint NOT NULL DEFAULT 0,
  spent_month bigint NOT NULL DEFAULT 0,
  spent_total bigint NOT NULL DEFAULT 0,
  running_tasks integer NOT NULL DEFAULT 0,
  -- Keyed hash that binds the hash to this id, account and level. A key without it gives no right.
  seal bytea NOT NULL,
  -- Numbers of the account's entries with which the windows began.
  since_minute bigint NOT NULL DEFAULT 0,
  since_hour bigint NOT NULL DEFAULT 0,
  since_day bigint NOT NULL DEFAULT 0,
  since_month bigint NOT NULL DEFAULT 0,
  since_total bigint NOT NULL DEFAULT 0,
  -- When a refusal found that the clock had been set back.
  clock_back_at timestamptz,
  CONSTRAINT api_keys_id_form CHECK (id ~ '^key_'),
  CONSTRAINT api_keys_level CHECK (level IN ('read', 'chat', 'standard', 'admin')),
  CONSTRAINT api_keys_hash_length CHECK (octet_length(hash) = 32),
  CONSTRAINT api_keys_counters CHECK (running_tasks >= 0 AND calls_total >= 0 AND spent_total >= 0)
);

CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_account ON api_keys (account_id);

-- When a key was last used, for people to read. Written at most once a minute and process, apart from the audited rows.
CREATE TABLE key_uses (
  key_id text PRIMARY KEY CONSTRAINT key_uses_key_id_api_keys_id_fk REFERENCES api_keys,
  last_used_at timestamptz NOT NULL
);

-- What webhook secrets are derived from. A rotated one signs until it retires.
CREATE TABLE webhook_secrets (
  account_id text NOT NULL CONSTRAINT webhook_secrets_account_id_accounts_id_fk REFERENCES accounts,
  salt bytea NOT NULL,
  -- Which of the operator's secrets it is derived under.
  secret_id text NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null: it is the account's current one.
  retires_at timestamptz,
  CONSTRAINT webhook_secrets_account_id_salt_pk PRIMARY KEY (account_id, salt)
);

CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (account_id) WHERE retires_at IS NULL;

-- For triggers on what is append-only, or never deleted.
CREATE FUNCTION tollgate_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % of % refused', TG_OP, TG_TABLE_NAME;
END
$$;

-- Entries and holds name accounts and keys without a foreign key (0002_ledger.sql), so neither is ever deleted.
CREATE TRIGGER accounts_keep BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER api_keys_keep BEFORE DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION tollgate_refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION tollgate_refuse_change();
