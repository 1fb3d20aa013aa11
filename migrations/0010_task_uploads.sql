-- The sweep of the blob store asks which uploads have a task. Those of images are kept for days, and most tasks have none.
CREATE INDEX tasks_with_uploads ON tasks (id) WHERE uploads IS NOT NULL;
