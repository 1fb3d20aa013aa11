-- How far a provider says it is with a batch that it was handed, while it works.
ALTER TABLE batch_intents ADD COLUMN done_completed integer NOT NULL DEFAULT 0, ADD COLUMN done_failed integer NOT NULL DEFAULT 0;
