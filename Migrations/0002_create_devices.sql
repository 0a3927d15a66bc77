-- Why: what can be reached: devices with their tokens, and how it is known whose device it is.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Devices -----------------------------------------------------------------------------------------------------------

-- One row per installation. Unregistered devices stay as tombstones (state 2) until retention erases them.
CREATE TABLE devices (
  device          uuid PRIMARY KEY,
  -- When it got this user and this token. An identical registration leaves it.
  bound_at        timestamptz NOT NULL,
  -- The last registration: a 410 older than this drops nothing.
  registered_at   timestamptz NOT NULL,
  created_at      timestamptz NOT NULL,
  -- When it last said that it is there, beside its registrations; NULL: never.
  seen_at         timestamptz,
  -- When each consent was last given or withdrawn; NULL while it was never asked.
  consent_notification_at timestamptz,
  consent_ad_at   timestamptz,
  consent_night_ad_at timestamptz,
  -- The user that it becomes (`pending_user`) when it brings back a push that was sent after that time.
  pending_at      timestamptz,
  -- Since when the device is put aside because its network refuses its token; NULL when it is not.
  quarantined_at  timestamptz,
  -- The message whose delivery was refused.
  quarantine_seqno bigint,
  app             integer NOT NULL,
  network         smallint NOT NULL,
  environment     smallint NOT NULL,
  -- 1 active, 2 unregistered, 3 token refused by the network
  state           smallint NOT NULL,
  -- Raised to end all authKeys of this device.
  auth_epoch      smallint NOT NULL DEFAULT 0,
  -- What its binding to the user was made with, as in `apps`.
  identity        smallint NOT NULL DEFAULT 0,
  -- True when the network told us the environment; kept as long as the token is the same, whatever a registration says.
  environment_is_learned boolean NOT NULL DEFAULT false,
  -- A file brought it, so nobody knows when it registered first: segments do not take it for a new one.
  is_imported     boolean NOT NULL DEFAULT false,
  -- NULL: never asked.
  consent_notification boolean,
  consent_ad      boolean,
  consent_night_ad boolean,
  user_key        text COLLATE "C" NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  platform        text NOT NULL DEFAULT '',
  model           text NOT NULL DEFAULT '',
  os_version      text NOT NULL DEFAULT '',
  app_version     text NOT NULL DEFAULT '',
  locale          text NOT NULL DEFAULT '',
  time_zone       text NOT NULL DEFAULT '',
  -- Of the installation, whoever uses it.
  tags            text[] NOT NULL DEFAULT '{}',
  pending_user    text COLLATE "C",
  -- Why it was put aside, in the network's own word.
  quarantine_reason text,
  CONSTRAINT devices_state_is_known CHECK (state IN (1, 2, 3)),
  CONSTRAINT devices_user_key_has_a_kind CHECK (user_key ~ '^[ug].'),
  CONSTRAINT devices_tags_are_few CHECK (cardinality(tags) <= 100),
  CONSTRAINT devices_quarantine_is_whole CHECK ((quarantined_at IS NULL) = (quarantine_reason IS NULL))
) WITH (fillfactor = 80);

-- Audiences are read along this index, a user's devices side by side.
CREATE INDEX devices_by_user ON devices (app, user_key, device) INCLUDE (bound_at) WHERE state = 1;
CREATE INDEX devices_by_pending_user ON devices (app, pending_user) WHERE pending_user IS NOT NULL;
CREATE INDEX devices_in_quarantine ON devices (app, device) WHERE quarantined_at IS NOT NULL;
-- Unregistered devices that still say something of somebody.
CREATE INDEX devices_unregistered ON devices (registered_at) WHERE state = 2 AND device_id <> '';

-- The only truth about who owns a token.
CREATE TABLE psids (
  device          uuid NOT NULL,
  bound_at        timestamptz NOT NULL,
  app             integer NOT NULL,
  network         smallint NOT NULL,
  kind            smallint NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  -- Of the kind 5 (updates of a Live Activity), which a device may have several of: which activity, in the app's words,
  -- and the name of its attributes' type. NULL for all others.
  activity        text COLLATE "C",
  activity_type   text COLLATE "C",
  PRIMARY KEY (app, psid, network, kind),
  CONSTRAINT psids_activity_is_of_a_kind CHECK ((activity IS NOT NULL) = (kind = 5))
) WITH (fillfactor = 90);

-- Tokens of other kinds than the ordinary one (voip, Live Activities …) are found by their device.
CREATE INDEX psids_further ON psids (device, kind) WHERE kind > 1;
-- An activity ends by itself after some hours, and its token with it.
CREATE INDEX psids_activities ON psids (bound_at) WHERE kind = 5;

-- Tokens a device had before: receipts for messages sent to them still count for 30 days.
CREATE TABLE former_psids (
  device          uuid NOT NULL,
  ended_at        timestamptz NOT NULL,
  app             integer NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, psid, device)
);

CREATE INDEX former_psids_by_end ON former_psids (ended_at);

-- Users a device had before. A message's blocks are in the order of its users: this leads to those of a device that has
-- changed its user since.
CREATE TABLE former_users (
  device          uuid NOT NULL,
  ended_at        timestamptz NOT NULL,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  PRIMARY KEY (device, user_key)
);

CREATE INDEX former_users_by_user ON former_users (app, user_key);
CREATE INDEX former_users_by_end ON former_users (ended_at);

CREATE FUNCTION note_former_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO former_users (device, app, user_key, ended_at)
  VALUES (OLD.device, OLD.app, OLD.user_key, clock_timestamp())
  ON CONFLICT (device, user_key) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN NULL;
END $$;

-- A guest who logs in was somebody too. Who is emptied (2) is not to be remembered.
CREATE TRIGGER devices_change_users AFTER UPDATE OF user_key ON devices FOR EACH ROW
  WHEN (OLD.user_key <> NEW.user_key AND NEW.state <> 2) EXECUTE FUNCTION note_former_user();

-- The users to whom a message may have gone on a device; a guest's key follows from the device.
CREATE FUNCTION users_of_device(of_device uuid) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT user_key FROM devices WHERE device = of_device
  UNION SELECT user_key FROM former_users WHERE device = of_device
  UNION SELECT 'g' || of_device
$$;

-- Two registrations have found the same free row: the later one is tried again.
CREATE FUNCTION row_is_taken() RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'another registration has just taken this row' USING ERRCODE = 'serialization_failure';
END $$;

-- Messages that devices have sent, by device and minute. Lost in a crash of the machine, it would only let a few more
-- through: so it need not be in the log.
CREATE UNLOGGED TABLE device_send_meters (
  device          uuid PRIMARY KEY,
  window_began    timestamptz NOT NULL,
  sent            integer NOT NULL
) WITH (fillfactor = 70);

-- Time zones of devices ---------------------------------------------------------------------------------------------

-- The names that PostgreSQL knows; a node that starts adds those that came with newer time zone data. PostgreSQL believes
-- more than these ("A+1:02:03"), but planning by local time must not know as many zones as there are devices.
CREATE TABLE time_zones (
  name            text COLLATE "C" PRIMARY KEY
);

INSERT INTO time_zones (name) SELECT name FROM pg_timezone_names ON CONFLICT DO NOTHING;

-- The zone if it has a name that PostgreSQL knows, else the other: devices may send anything.
CREATE FUNCTION zone_or(zone text, other text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM time_zones WHERE name = zone) THEN
    RETURN other;
  END IF;
  -- Restored beside older time zone data, one of the names may be unknown here.
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN other;
END $$;

-- Whose device it is ------------------------------------------------------------------------------------------------

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
  -- Devices that had a user and came with a new token, without the key of their last registration: guests, then.
  refreshed       bigint NOT NULL DEFAULT 0,
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
