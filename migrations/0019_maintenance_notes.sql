-- What operators say of a maintenance: a note for everyone to read, and when it ends by itself.
ALTER TABLE model_switches
  ADD COLUMN maintenance_note text,
  ADD COLUMN maintenance_until timestamptz,
  ADD CONSTRAINT model_switches_short_note CHECK (char_length(maintenance_note) BETWEEN 1 AND 300);
