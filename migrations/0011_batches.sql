-- Files of callers, and batches of calls and tasks.

-- What a caller has uploaded, or a batch has made for it; the bytes are a blob. A deleted file is unknown to callers at
-- once, and its row goes after its blob.
CREATE TABLE files (
  id text PRIMARY KEY,
  account_id text NOT NULL CONSTRAINT files_account REFERENCES accounts,
  key_id text NOT NULL CONSTRAINT files_key REFERENCES api_keys,
  purpose text NOT NULL,
  filename text NOT NULL,
  bytes bigint NOT NULL,
  blob text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  deleted_at timestamptz,
  CONSTRAINT files_purpose CHECK (purpose IN ('batch', 'user_data', 'vision', 'batch_output'))
);

-- Ids are ordered by time.
CREATE INDEX files_account_order ON files (account_id, id) WHERE deleted_at IS NULL;
CREATE INDEX files_to_delete ON files (least(deleted_at, expires_at));
CREATE INDEX files_of_blobs ON files (blob);

-- The row is the truth, the workflow only the engine that drives it.
CREATE TABLE batches (
  id text PRIMARY KEY,
  account_id text NOT NULL CONSTRAINT batches_account REFERENCES accounts,
  key_id text NOT NULL CONSTRAINT batches_key REFERENCES api_keys,
  request_id text NOT NULL,
  -- As in the lines, with a leading /v1.
  endpoint text NOT NULL,
  -- Of a file that may be deleted before its row is.
  input_file_id text NOT NULL,
  window_seconds integer NOT NULL,
  metadata jsonb,
  webhook_url text,
  -- How long its output files are kept.
  output_expires_seconds integer NOT NULL,
  state text NOT NULL DEFAULT 'validating',
  -- Each model's price and bounds as they were at creation, by its id.
  terms jsonb NOT NULL,
  -- What was found wrong with its lines.
  errors jsonb,
  -- As of the last slice.
  total integer NOT NULL DEFAULT 0,
  completed integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  cost bigint NOT NULL DEFAULT 0,
  usage jsonb,
  -- Why nothing of it is sent at the moment.
  paused text,
  output_file_id text,
  error_file_id text,
  created_at timestamptz NOT NULL,
  -- When Temporal acknowledged the workflow's start.
  started_at timestamptz,
  -- The last sign of life.
  seen_at timestamptz,
  expires_at timestamptz NOT NULL,
  in_progress_at timestamptz,
  finalizing_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  expired_at timestamptz,
  cancelling_at timestamptz,
  cancelled_at timestamptz,
  -- Of its creation, if that had one, and what it is bound to.
  idempotency_key text,
  body_hash bytea,
  -- When the last of its lines were deleted, which go with the files that were made of them.
  lines_removed_at timestamptz,
  CONSTRAINT batches_idempotency_key UNIQUE (account_id, idempotency_key),
  CONSTRAINT batches_state CHECK (state IN ('validating', 'failed', 'in_progress', 'finalizing', 'completed', 'expired',
    'cancelling', 'cancelled'))
);

CREATE INDEX batches_account_order ON batches (account_id, id);
CREATE INDEX batches_with_lines ON batches (id)
  WHERE lines_removed_at IS NULL AND state IN ('failed', 'completed', 'expired', 'cancelled');
CREATE INDEX batches_under_way ON batches (created_at)
  WHERE state IN ('validating', 'in_progress', 'finalizing', 'cancelling');

-- One row a line of the input. Range-partitioned by month on the batch's id, which begins with its time.
CREATE TABLE batch_lines (
  batch_id text NOT NULL,
  -- From 1, in the order of the file.
  n integer NOT NULL,
  custom_id text NOT NULL,
  model text NOT NULL,
  -- Where the line is in the input file.
  byte_offset bigint NOT NULL,
  byte_length integer NOT NULL,
  state text NOT NULL DEFAULT 'pending',
  -- How often it was sent.
  sends smallint NOT NULL DEFAULT 0,
  -- Of one that is claimed: by which slice, until when.
  owner uuid,
  lease_until timestamptz,
  -- Of one that a busy provider refused: from then on it may be sent again.
  not_before timestamptz,
  -- Of the last time that it was sent: the hold of a call, or the task.
  transfer_id uuid,
  task_id text,
  request_id text,
  status_code smallint,
  -- The answer's body; a long one is a blob.
  answer bytea,
  answer_blob text,
  error_code text,
  cost bigint,
  -- Of its whole prompt and its whole output; what was cached and what was thought are parts of them.
  input_tokens integer,
  cached_tokens integer,
  output_tokens integer,
  reasoning_tokens integer,
  finished_at timestamptz,
  CONSTRAINT batch_lines_pk PRIMARY KEY (batch_id, n),
  CONSTRAINT batch_lines_state CHECK (state IN ('pending', 'sent', 'completed', 'failed', 'expired', 'cancelled', 'unknown')),
  CONSTRAINT batch_lines_final_has_time
    CHECK ((state IN ('completed', 'failed', 'expired', 'cancelled', 'unknown')) = (finished_at IS NOT NULL))
) PARTITION BY RANGE (batch_id);

CREATE INDEX batch_lines_open ON batch_lines (batch_id, n) WHERE state IN ('pending', 'sent');
CREATE INDEX batch_lines_answer_blobs ON batch_lines (answer_blob) WHERE answer_blob IS NOT NULL;
CREATE INDEX batch_lines_transfers ON batch_lines (transfer_id) WHERE transfer_id IS NOT NULL;
CREATE TABLE batch_lines_rest PARTITION OF batch_lines DEFAULT;

-- As before, and those of the lines of batches.
CREATE OR REPLACE FUNCTION tollgate_missing_partitions(months_ahead integer)
RETURNS TABLE (name text, parent text, rest text, key text, first text, past text, keeps boolean, first_day timestamp)
LANGUAGE sql STABLE AS $$
  WITH months AS (
    SELECT m.month AS first_day, m.month + interval '1 month' AS last_day FROM (
      SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead) AS month
      FROM generate_series(0, months_ahead) AS ahead) AS m
  ), cut AS (
    SELECT parent, months.first_day, 'transfer_id' AS key,
      tollgate_uuid_floor(months.first_day AT TIME ZONE 'UTC')::text AS first,
      tollgate_uuid_floor(months.last_day AT TIME ZONE 'UTC')::text AS past, true AS keeps
    FROM months, unnest(ARRAY['holds', 'entries']) AS parent
    UNION ALL
    SELECT kinds.parent, months.first_day, kinds.key, tollgate_id_floor(kinds.prefix, months.first_day AT TIME ZONE 'UTC'),
      tollgate_id_floor(kinds.prefix, months.last_day AT TIME ZONE 'UTC'), false
    FROM months,
      (VALUES ('tasks_image', 'id', 'img_'), ('tasks_video', 'id', 'vid_'), ('tasks_avatar_talk', 'id', 'avt_'),
        ('batch_lines', 'batch_id', 'batch_')) AS kinds (parent, key, prefix)
  )
  SELECT cut.parent || to_char(cut.first_day, '_YYYY_MM'), cut.parent, cut.parent || '_rest', cut.key, cut.first, cut.past,
    cut.keeps, cut.first_day
  FROM cut WHERE to_regclass(cut.parent || to_char(cut.first_day, '_YYYY_MM')) IS NULL ORDER BY cut.first_day, cut.parent
$$;

SELECT tollgate_ensure_partitions(2);
