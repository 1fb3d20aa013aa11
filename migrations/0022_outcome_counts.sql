-- What came of requests and calls, counted by five minutes as their records are written. Records themselves are too many to
-- be counted at each look: 10 million a day take seconds. Those of two days are kept.

CREATE TABLE outcome_counts (
  -- When its five minutes began.
  slot timestamptz NOT NULL,
  -- Empty: of all requests that came with a key, whatever they asked for.
  model text NOT NULL,
  -- That was asked to answer a call of the model. Empty: what came of the calls as a whole.
  provider text NOT NULL,
  -- Of the error; of all requests the status, where an error has no code. Empty: it succeeded.
  code text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT outcome_counts_pk PRIMARY KEY (slot, model, provider, code)
) WITH (fillfactor = 70); -- most writes add to a row that is there
