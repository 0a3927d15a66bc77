-- Why: an app says what it takes to call a device a user's, and each device remembers what its binding was made with. The
-- app's own server vouches for a user by a proof or by a voucher; whose other devices are told of a new one is queued here.
-- Locks: apps, devices and groups for a moment each (columns without a rewrite), devices against writing while it is read once (an index).
-- The previous binary: works, and knows nothing of the stricter rules: it asks for proofs where it did, and leaves what a
-- binding was made with as it stood. Update all nodes before an app becomes stricter.
-- upmc:oldest-program 0011

ALTER TABLE apps
  -- 0 open, 1 proof, 2 strict
  ADD COLUMN identity smallint NOT NULL DEFAULT 1,
  -- A stricter one that is tried out: what it would refuse is counted.
  ADD COLUMN observed_identity smallint,
  -- Until then devices stay with users that nobody vouched for. NULL: there are none.
  ADD COLUMN grace_ends_at timestamptz,
  ADD COLUMN keeps_user_on_refresh boolean NOT NULL DEFAULT false,
  ADD COLUMN confidential_to_proved boolean NOT NULL DEFAULT false,
  ADD COLUMN tells_devices boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT apps_identity_is_known CHECK (identity IN (0, 1, 2));

-- The number of the secret stands from the beginning, with a sign where no proofs are asked for, as the previous program
-- reads it. What was bound before proofs were asked for cannot be told from what came after: it has 30 days.
UPDATE apps SET identity = CASE WHEN user_proof > 0 THEN 1 ELSE 0 END,
  user_proof = CASE WHEN user_proof > 0 THEN user_proof ELSE least(user_proof, -1) END,
  grace_ends_at = CASE WHEN user_proof > 0 THEN now() + interval '30 days' END;
ALTER TABLE apps ALTER COLUMN user_proof SET DEFAULT 1;

ALTER TABLE devices
  -- What its binding to the user was made with, as in `apps`.
  ADD COLUMN identity smallint NOT NULL DEFAULT 0,
  -- The user that it becomes when it brings back a push that was sent after that time.
  ADD COLUMN pending_user text COLLATE "C",
  ADD COLUMN pending_at timestamptz;

CREATE INDEX devices_by_pending_user ON devices (app, pending_user) WHERE pending_user IS NOT NULL;

ALTER TABLE groups
  -- Devices may join it by themselves.
  ADD COLUMN is_joinable boolean NOT NULL DEFAULT true;

-- Two registrations have found the same free row: the later one is tried again.
CREATE FUNCTION row_is_taken() RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'another registration has just taken this row' USING ERRCODE = 'serialization_failure';
END $$;

-- The app's server says: the next device that names this user is the user's. Taken by that registration.
CREATE TABLE vouchers (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The DEVICE_ID that it is good for; empty: any.
  device_id       text COLLATE "C" NOT NULL DEFAULT '',
  expires_at      timestamptz NOT NULL,
  PRIMARY KEY (app, user_key)
);
CREATE INDEX vouchers_by_end ON vouchers (expires_at);

-- What a stricter identity would have refused, by day; each committer has rows of its own.
CREATE TABLE identity_refusals (
  app             integer NOT NULL,
  day             date NOT NULL,
  writer          integer NOT NULL,
  -- Devices that named a user and had nobody to vouch for it.
  unproved        bigint NOT NULL DEFAULT 0,
  -- Calls by an AUTHKEY that was only asked for.
  asked           bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (app, day, writer)
);

-- Pushes that the server sends of its own accord. A row goes when its message is stored.
CREATE TABLE device_notices (
  notice          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL,
  -- The device that the notice is about.
  device          uuid NOT NULL,
  -- 1: to the user's other devices, that there is a new one. 2: to the device itself, a push to bring back.
  kind            smallint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  created_at      timestamptz NOT NULL,
  CONSTRAINT device_notices_kind_is_known CHECK (kind IN (1, 2))
);
