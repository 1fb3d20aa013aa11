-- Keys whose tasks wait for their turn instead of being refused.

-- With it tasks beyond `max_running_tasks` are accepted and queued.
ALTER TABLE api_keys ADD COLUMN queue boolean NOT NULL DEFAULT false;

-- Whether it waits for its key, and when that was over. One that ends meanwhile stays queued: it never ran.
ALTER TABLE tasks ADD COLUMN queued boolean NOT NULL DEFAULT false;
ALTER TABLE tasks ADD COLUMN dequeued_at timestamptz;

-- In the order in which they run. Empty for keys without a queue.
CREATE INDEX tasks_queued ON tasks (key_id, created_at, id) WHERE queued AND finished_at IS NULL;
-- Without those that may not start yet: the scan would read them every two seconds.
DROP INDEX tasks_to_start;
CREATE INDEX tasks_to_start ON tasks (created_at) WHERE started_at IS NULL AND finished_at IS NULL AND NOT queued;

-- The queue is named only where it is on, so that what was logged before still agrees.
CREATE OR REPLACE FUNCTION tollgate_key_facts(k api_keys) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object('id', k.id, 'account_id', k.account_id, 'name', k.name, 'level', k.level,
    'hash', encode(k.hash, 'hex'), 'start', k.start, 'last4', k.last4, 'models', to_jsonb(k.models),
    'call_limits', k.call_limits, 'spend_limit', k.spend_limit, 'max_running_tasks', k.max_running_tasks,
    'expires_at', tollgate_moment(k.expires_at), 'revoked_at', tollgate_moment(k.revoked_at),
    'created_at', tollgate_moment(k.created_at)) || CASE WHEN k.queue THEN '{"queue": true}'::jsonb ELSE '{}'::jsonb END
$$;
