-- Why: a device that moves to another time zone, after the audience of a message by local time was frozen, may find the
-- wave of its new zone over and that of its old one without it. A last wave takes whoever was in none.
-- Locks: waves, exclusively, for the moment that a column with a constant default takes; nothing is rewritten.
-- The previous binary: works; it plans no such wave.

ALTER TABLE waves
  -- The last wave, for devices that no other has reached.
  ADD COLUMN sweeps boolean NOT NULL DEFAULT false,
  -- It came too late and was ended: those in its zones were counted as skipped.
  ADD COLUMN late boolean NOT NULL DEFAULT false;
