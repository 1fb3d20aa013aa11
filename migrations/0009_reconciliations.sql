-- How the ledger compared with the last bill of each provider: a row each, replaced by the next one.
CREATE TABLE reconciliations (
  provider text PRIMARY KEY,
  made_at timestamptz NOT NULL,
  period_from timestamptz NOT NULL,
  period_to timestamptz NOT NULL,
  -- Of the differences by the sum of the bill, as a decimal text, and the most that was allowed.
  share text NOT NULL,
  tolerance text NOT NULL,
  -- The sums of both sides, and the first differences.
  report jsonb NOT NULL
);
