-- Why: apps built with the existing SDK say that they are alive without registering again, and devices may send messages
-- to other users of their app, so many a minute.
-- Locks: ALTER TABLE takes apps and devices for a moment (no rewrite, nothing is read).
-- The previous binary: works; it lets no device send.

ALTER TABLE apps
  -- Messages that one device may send in a minute; 0: none.
  ADD COLUMN device_sends smallint NOT NULL DEFAULT 0,
  ADD CONSTRAINT apps_device_sends_is_in_range CHECK (device_sends BETWEEN 0 AND 1000);

ALTER TABLE devices
  -- When it last said that it is there, beside its registrations; NULL: never.
  ADD COLUMN seen_at timestamptz;

-- Messages that devices have sent, by device and minute. Lost in a crash of the machine, it would only let a few more
-- through: so it need not be in the log.
CREATE UNLOGGED TABLE device_send_meters (
  device          uuid PRIMARY KEY,
  window_began    timestamptz NOT NULL,
  sent            integer NOT NULL
) WITH (fillfactor = 70);
