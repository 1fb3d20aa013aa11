-- What owners set of their account.

-- The zone of its days and months, by its name in the IANA database. The windows of limits stay those of UTC.
ALTER TABLE accounts ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC'
  CONSTRAINT accounts_time_zone CHECK (char_length(time_zone) BETWEEN 1 AND 64);

-- The zone is named only where it is another than UTC, so that what was logged before still agrees.
CREATE OR REPLACE FUNCTION tollgate_account_facts(a accounts) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', a.id, 'name', a.name, 'status', a.status, 'created_at', tollgate_moment(a.created_at),
    'webhook_url', tollgate_address_digest(a.webhook_url), 'low_balance', a.low_balance::text)
    || CASE WHEN a.time_zone = 'UTC' THEN '{}'::jsonb ELSE jsonb_build_object('time_zone', a.time_zone) END
$$;
