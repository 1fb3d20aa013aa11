-- What callers file a request under (`X-Tollgate-Tag`), and requests found by it and by their end user. A request that names
-- neither is in none of these indexes, so it costs nothing more to write.
ALTER TABLE requests ADD COLUMN tag text;

CREATE INDEX requests_by_user ON requests (account_id, end_user, created_at DESC, seq DESC) WHERE end_user IS NOT NULL;
CREATE INDEX requests_by_tag ON requests (account_id, tag, created_at DESC, seq DESC) WHERE tag IS NOT NULL;
-- A task may be charged days after its request: these are looked for further back than calls.
CREATE INDEX requests_of_tasks ON requests (account_id, created_at)
  WHERE task_id IS NOT NULL AND (end_user IS NOT NULL OR tag IS NOT NULL);
