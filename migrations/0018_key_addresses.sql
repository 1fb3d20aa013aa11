-- From which addresses a key may be used, and who made it.

-- Addresses and CIDR ranges in their normal form; null allows all.
ALTER TABLE api_keys ADD COLUMN allowed_ips text[];
-- As `acts.actor` names it; null of keys that are older than this column.
ALTER TABLE api_keys ADD COLUMN created_by text;

-- Both are named only where they are set, so that what was logged before still agrees.
CREATE OR REPLACE FUNCTION tollgate_key_facts(k api_keys) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', k.id, 'account_id', k.account_id, 'name', k.name, 'level', k.level,
    'hash', encode(k.hash, 'hex'), 'start', k.start, 'last4', k.last4, 'models', to_jsonb(k.models),
    'call_limits', k.call_limits, 'spend_limit', k.spend_limit, 'max_running_tasks', k.max_running_tasks,
    'expires_at', tollgate_moment(k.expires_at), 'revoked_at', tollgate_moment(k.revoked_at),
    'created_at', tollgate_moment(k.created_at))
    || CASE WHEN k.queue THEN '{"queue": true}'::jsonb ELSE '{}'::jsonb END
    || CASE WHEN k.allowed_ips IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('allowed_ips', to_jsonb(k.allowed_ips)) END
    || CASE WHEN k.created_by IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('created_by', k.created_by) END
$$;
