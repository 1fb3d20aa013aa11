-- Batches that are handed to the batch API of a provider.

-- Written before the paid create, so that it is sent at most once. What is taken to be carried out there is looked up or
-- waited out, and never sent again.
CREATE TABLE batch_intents (
  batch_id text PRIMARY KEY CONSTRAINT batch_intents_batch REFERENCES batches,
  account_id text NOT NULL,
  -- Of the settings, and what it calls the model.
  provider text NOT NULL,
  model text NOT NULL,
  -- `planned`: waits for the balance. `preparing`: nothing paid was sent. `open`: the create may have been sent.
  -- `refused`: its lines are run one by one. `accepted`: the provider works on it. `ended`: its results are being collected.
  state text NOT NULL,
  -- What its lines are expected to cost. As long as it is under way no other native batch may count on this money.
  estimate bigint NOT NULL,
  -- Of the requests as they are sent, their frame included.
  bytes bigint NOT NULL,
  -- Of the attempt that prepares it: an older one creates nothing any more.
  nonce uuid,
  input_file text,
  job_id text,
  -- What came of it at the provider, and the files of its results.
  ended_as text,
  results jsonb,
  -- Why its lines are run one by one, or what is not known of it.
  reason text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  opened_at timestamptz,
  accepted_at timestamptz,
  cancel_asked_at timestamptz,
  ended_at timestamptz,
  collected_at timestamptz,
  CONSTRAINT batch_intents_state
    CHECK (state IN ('planned', 'preparing', 'open', 'accepted', 'ended', 'collected', 'refused', 'unknown')),
  CONSTRAINT batch_intents_ended_as CHECK (ended_as IN ('completed', 'expired', 'cancelled'))
);

CREATE INDEX batch_intents_under_way ON batch_intents (account_id)
  WHERE state IN ('preparing', 'open', 'accepted', 'ended');
