-- Operators' lists of all accounts: what failed of the tasks, and the events that were not delivered, both newest first by
-- their ids. They are few, so these indexes cost next to nothing.

CREATE INDEX tasks_ended_with_error ON tasks (id) WHERE error_code IS NOT NULL;
CREATE INDEX events_not_delivered ON events (id) WHERE delivered IS NOT TRUE;
