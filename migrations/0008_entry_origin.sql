-- Who served what an entry charges, what that cost the operator, and what the provider said of it. The ledger's chain
-- covers all three: see `canonicalEntry` and `canonicalSql`.
ALTER TABLE entries
  -- The provider's name in the settings; on captures and write-offs.
  ADD COLUMN provider text,
  -- Micro-units of the gateway's currency.
  ADD COLUMN cost bigint,
  -- A JSON object as the text that was written: `jsonb` would print another one.
  ADD COLUMN vendor text;
