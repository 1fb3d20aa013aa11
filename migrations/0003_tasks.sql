-- Tasks, their paid calls, what providers can take, and what makes a creation safe to send again.

-- The row is the truth, the workflow only the engine that drives it. Range-partitioned by kind and month on the id, which
-- is in the primary key and begins with its kind and the time: what looks a task up by its id opens one partition.
CREATE TABLE tasks (
  id text PRIMARY KEY,
  kind text NOT NULL,
  account_id text NOT NULL CONSTRAINT tasks_account_id_accounts_id_fk REFERENCES accounts,
  key_id text NOT NULL CONSTRAINT tasks_key_id_api_keys_id_fk REFERENCES api_keys,
  request_id text NOT NULL,
  model text NOT NULL,
  state text NOT NULL DEFAULT 'accepted',
  -- The parsed request; cleared when the result is deleted.
  request jsonb,
  -- The caller's stored files of an avatar-talk task.
  uploads jsonb,
  -- Price, routes, provider kinds and deadlines as they were at admission.
  terms jsonb NOT NULL,
  transfer_id uuid NOT NULL CONSTRAINT tasks_hold REFERENCES holds,
  hold_amount bigint NOT NULL,
  created_at timestamptz NOT NULL,
  -- When Temporal acknowledged the workflow's start.
  started_at timestamptz,
  -- The last sign of life that the slow scan goes by.
  seen_at timestamptz,
  finished_at timestamptz,
  files jsonb,
  duration_ms bigint,
  cost bigint,
  balance_after bigint,
  error_code text,
  error_message text,
  error_param text,
  cancel_pending boolean NOT NULL DEFAULT false,
  fetch_owner uuid,
  fetch_until timestamptz,
  -- When media and request were deleted: fetched, expired or past retention.
  removed_at timestamptz,
  -- SHA-256 of request and uploads, which stays when they are deleted.
  request_digest bytea NOT NULL,
  -- Keyed hashes over what the task was admitted with, and over how it ended.
  seal bytea NOT NULL,
  end_seal bytea,
  -- Whole seconds after which another try makes sense.
  error_retry_after integer,
  -- SHA-256 of the error's message, which stays when that is deleted with the request.
  error_digest bytea,
  -- Why the task is about to fail, as written by the step that found it; null once the task has ended.
  failure jsonb,
  CONSTRAINT tasks_kind CHECK (kind IN ('image', 'video', 'avatar_talk')),
  CONSTRAINT tasks_state CHECK (state IN ('accepted', 'running', 'succeeded', 'failed', 'cancelled')),
  CONSTRAINT tasks_final_has_time CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
  CONSTRAINT tasks_success_has_result CHECK ((state = 'succeeded') = (cost IS NOT NULL AND files IS NOT NULL)),
  CONSTRAINT tasks_failure_has_error CHECK ((state IN ('failed', 'cancelled')) = (error_code IS NOT NULL))
) PARTITION BY RANGE (id);

CREATE INDEX tasks_account_order ON tasks (account_id, created_at);
-- People filter their lists by these. Without them a rare key, kind or model reads all of an account's tasks.
CREATE INDEX tasks_of_key ON tasks (key_id, created_at);
CREATE INDEX tasks_of_kind ON tasks (account_id, kind, created_at);
CREATE INDEX tasks_of_model ON tasks (account_id, model, created_at);
-- Not by state, which changes once more in a task's life: that change would have to write all indexes.
CREATE INDEX tasks_with_error ON tasks (account_id, created_at) WHERE error_code IS NOT NULL;
CREATE INDEX tasks_removed ON tasks (account_id, created_at) WHERE removed_at IS NOT NULL AND error_code IS NULL;
CREATE INDEX tasks_model_outcomes ON tasks (model, finished_at);
CREATE INDEX tasks_cancel_pending ON tasks (finished_at) WHERE cancel_pending;
CREATE INDEX tasks_to_start ON tasks (created_at) WHERE started_at IS NULL AND finished_at IS NULL;
CREATE INDEX tasks_under_way ON tasks (started_at) WHERE finished_at IS NULL;
CREATE INDEX tasks_to_remove ON tasks (kind, finished_at) WHERE removed_at IS NULL AND finished_at IS NOT NULL;
-- An upstream's message may quote the request, so it is deleted with the request.
CREATE INDEX tasks_error_messages ON tasks (finished_at)
  WHERE error_message IS NOT NULL;

-- A kind's ids with a time begin with a zero behind the prefix. Months come in 0004_partitions.sql; what has none goes to
-- the kind's `_rest`, and an id without a time or of another kind to `tasks_rest`.
CREATE TABLE tasks_rest PARTITION OF tasks DEFAULT;
CREATE TABLE tasks_image PARTITION OF tasks FOR VALUES FROM ('img_0') TO ('img_1') PARTITION BY RANGE (id);
CREATE TABLE tasks_image_rest PARTITION OF tasks_image DEFAULT;
CREATE TABLE tasks_video PARTITION OF tasks FOR VALUES FROM ('vid_0') TO ('vid_1') PARTITION BY RANGE (id);
CREATE TABLE tasks_video_rest PARTITION OF tasks_video DEFAULT;
CREATE TABLE tasks_avatar_talk PARTITION OF tasks FOR VALUES FROM ('avt_0') TO ('avt_1') PARTITION BY RANGE (id);
CREATE TABLE tasks_avatar_talk_rest PARTITION OF tasks_avatar_talk DEFAULT;

-- A task's state moves as the table in src/domain/tasks/task-states.ts says; a final one stays.
CREATE FUNCTION tollgate_guard_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state IN ('succeeded', 'failed', 'cancelled') OR NEW.state = 'accepted' THEN
    RAISE EXCEPTION 'task % is %: it can''t become %', OLD.id, OLD.state, NEW.state;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER tasks_move BEFORE UPDATE OF state ON tasks
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tollgate_guard_task();

-- Inserted by the admission that they guard.
CREATE TABLE idempotency_keys (
  account_id text NOT NULL CONSTRAINT idempotency_keys_account_id_accounts_id_fk REFERENCES accounts,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  state text NOT NULL,
  owner uuid,
  task_id text CONSTRAINT idempotency_keys_task_id_tasks_id_fk REFERENCES tasks,
  -- The hold of a call under way: what closes it decides about the key.
  transfer_id uuid,
  -- Blob of a stored chat answer.
  answer text,
  created_at timestamptz NOT NULL,
  CONSTRAINT idempotency_keys_account_id_key_pk PRIMARY KEY (account_id, key),
  CONSTRAINT idempotency_keys_length CHECK (char_length(key) BETWEEN 1 AND 255),
  CONSTRAINT idempotency_keys_state CHECK (state IN ('running', 'done'))
);

CREATE INDEX idempotency_keys_of_calls ON idempotency_keys (transfer_id);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Written before each paid call: the attempt whose insert succeeded is the only one that may send.
CREATE TABLE intents (
  task_id text NOT NULL CONSTRAINT intents_task_id_tasks_id_fk REFERENCES tasks,
  -- Index into the task's routes.
  route integer NOT NULL,
  nonce uuid NOT NULL,
  provider text NOT NULL,
  outcome text NOT NULL DEFAULT 'open',
  job_id text,
  -- Blobs of an answer that was the result itself.
  blob_keys text[],
  error jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_before timestamptz NOT NULL,
  closed_at timestamptz,
  -- The provider's own id of the call, to name it in a question to them.
  upstream_request_id text,
  -- Why the outcome is unknown, or why the job was not stopped when the task ended.
  reason text,
  -- How often the provider was too busy to take it.
  busy_count integer NOT NULL DEFAULT 0,
  -- Of one that a busy provider refused: from then on it may be sent again.
  busy_until timestamptz,
  -- Of one that is sent again: when it was sent first.
  first_created_at timestamptz,
  CONSTRAINT intents_task_id_route_pk PRIMARY KEY (task_id, route),
  CONSTRAINT intents_outcome CHECK (outcome IN ('open', 'accepted', 'finished', 'refused', 'unknown')),
  CONSTRAINT intents_accepted_has_job CHECK ((outcome = 'accepted') = (job_id IS NOT NULL)),
  CONSTRAINT intents_busy_was_refused CHECK (busy_until IS NULL OR outcome = 'refused'),
  CONSTRAINT intents_closed_has_time CHECK ((outcome = 'open') = (closed_at IS NULL))
);

-- What an operator asks for; they are few.
CREATE INDEX intents_unknown ON intents (created_at) WHERE outcome = 'unknown';
CREATE INDEX intents_error_messages ON intents (closed_at) WHERE error ? 'message';

-- Jobs at providers with a bound on unfinished ones. A row whose task is final no longer counts, and is deleted.
CREATE TABLE provider_jobs (
  provider text NOT NULL,
  task_id text NOT NULL CONSTRAINT provider_jobs_task_id_tasks_id_fk REFERENCES tasks,
  CONSTRAINT provider_jobs_provider_task_id_pk PRIMARY KEY (provider, task_id)
);

-- The create rate of each provider that has one: a process that moves the slot on may send at the time that it had.
CREATE TABLE provider_rates (
  provider text PRIMARY KEY,
  next_slot_at timestamptz NOT NULL
);

-- Responses that an upstream keeps: whose they are, and which provider made them. An upstream may give an id twice, so
-- each account has a row of its own.
CREATE TABLE responses (
  id text NOT NULL,
  account_id text NOT NULL CONSTRAINT responses_account_id_accounts_id_fk REFERENCES accounts,
  model text NOT NULL,
  provider text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- What goes on from it is charged for these besides, once the upstream has said how many they are.
  context_tokens bigint,
  CONSTRAINT responses_id_account_id_pk PRIMARY KEY (id, account_id)
);

CREATE INDEX responses_age ON responses (created_at);
