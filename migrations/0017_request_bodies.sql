-- What an account asked and was answered, where its owner has it recorded: the settings, and which bodies there are. The
-- bodies themselves are in the blob store, encrypted; none of them is ever here.

CREATE TABLE body_recordings (
  account_id text PRIMARY KEY CONSTRAINT body_recordings_account REFERENCES accounts,
  is_on boolean NOT NULL,
  retention_days integer NOT NULL,
  -- Names of JSON fields whose values are left out.
  redacted_fields text[] NOT NULL
);

CREATE TABLE recorded_bodies (
  -- Also the last part of its blob's key.
  id text PRIMARY KEY,
  account_id text NOT NULL,
  -- A caller's own may come again.
  request_id text NOT NULL,
  -- Of the request.
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX recorded_bodies_by_request ON recorded_bodies (account_id, request_id, created_at DESC);
CREATE INDEX recorded_bodies_by_expiry ON recorded_bodies (expires_at);
