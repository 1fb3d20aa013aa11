-- Events that are owed to webhooks, and every attempt to deliver them.

-- An event is written by the transaction that it reports, and delivered by a workflow of its own.
CREATE TABLE events (
  id text PRIMARY KEY,
  account_id text NOT NULL CONSTRAINT events_account_id_accounts_id_fk REFERENCES accounts,
  type text NOT NULL,
  url text NOT NULL,
  -- The event's record. Null for a task: its record, with links, is made anew for each attempt.
  data jsonb,
  created_at timestamptz NOT NULL,
  -- When Temporal acknowledged the start of the delivery.
  started_at timestamptz,
  seen_at timestamptz,
  ended_at timestamptz,
  delivered boolean,
  -- The task whose end this reports.
  task_id text CONSTRAINT events_task_id_tasks_id_fk REFERENCES tasks,
  CONSTRAINT events_tell_something CHECK ((data IS NULL) = (task_id IS NOT NULL)),
  CONSTRAINT events_end CHECK ((ended_at IS NULL) = (delivered IS NULL))
);

CREATE INDEX events_to_start ON events (created_at) WHERE started_at IS NULL;
CREATE INDEX events_under_way ON events (started_at) WHERE started_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX events_of_account ON events (account_id, created_at);
-- One event an end. The events of a task are found by it, too.
CREATE UNIQUE INDEX events_of_task ON events (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE deliveries (
  event_id text NOT NULL CONSTRAINT deliveries_event_id_events_id_fk REFERENCES events,
  attempt integer NOT NULL,
  at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  -- The HTTP status of the answer, if there was one.
  status integer,
  -- Why it did not arrive, in words that hold no address.
  fault text,
  CONSTRAINT deliveries_event_id_attempt_pk PRIMARY KEY (event_id, attempt)
);
