-- The beginning of what a webhook's receiver answered, as text; null where it answered nothing. It goes with its attempt.
ALTER TABLE deliveries ADD COLUMN answer text CONSTRAINT deliveries_answer_length CHECK (octet_length(answer) <= 4096);
