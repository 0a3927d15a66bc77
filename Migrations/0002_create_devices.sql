-- Why: what can be reached: devices with their tokens, and on what authority they are bound to users.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Devices -----------------------------------------------------------------------------------------------------------

-- One row per installation. Unregistered devices stay as tombstones (state 2) until retention empties them. It also
-- empties devices whose token a network refuses and that have been silent for long.
CREATE TABLE devices (
  device          uuid PRIMARY KEY,
  -- When it got its current user and token. An identical registration does not change it.
  bound_at        timestamptz NOT NULL,
  -- The last registration; a 410 with an earlier timestamp is ignored.
  registered_at   timestamptz NOT NULL,
  created_at      timestamptz NOT NULL,
  -- When it last called, besides registrations; NULL: never.
  seen_at         timestamptz,
  -- When each consent was last given or withdrawn; NULL: never asked.
  consent_notification_at timestamptz,
  consent_ad_at   timestamptz,
  consent_night_ad_at timestamptz,
  -- It gets `pending_user` when it brings back a push that was sent after this time.
  pending_at      timestamptz,
  -- Since when the device is in quarantine because its network refuses its token; NULL: it is not.
  quarantined_at  timestamptz,
  -- The message whose delivery was refused.
  quarantine_seqno bigint,
  -- When the network said that its token is invalid and it got state 3; left as it is when it registers again.
  refused_at      timestamptz,
  -- When it got state 2; NULL in every other state, and once it is emptied.
  unregistered_at timestamptz,
  -- When it last brought back the push that made it its user's, and of which message that push was; NULL: never.
  proved_at       timestamptz,
  proved_seqno    bigint,
  app             integer NOT NULL,
  network         smallint NOT NULL,
  environment     smallint NOT NULL,
  -- 1 active, 2 unregistered, 3 token refused by the network
  state           smallint NOT NULL,
  -- Raised to invalidate all authKeys of this device.
  auth_epoch      smallint NOT NULL DEFAULT 0,
  -- The identity mode under which it was bound to its user, as in `apps`.
  identity        smallint NOT NULL DEFAULT 0,
  -- The network itself reported the environment; it then stays as long as the token does, whatever a registration says.
  environment_is_learned boolean NOT NULL DEFAULT false,
  -- Imported from a file, so its first registration is unknown: segments do not treat it as new.
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
  time_zone       text COLLATE "C" NOT NULL DEFAULT '',
  -- Tags of the installation, independent of its user.
  tags            text[] NOT NULL DEFAULT '{}',
  pending_user    text COLLATE "C",
  -- Why it was quarantined, in the network's own words.
  quarantine_reason text,
  CONSTRAINT devices_state_is_known CHECK (state IN (1, 2, 3)),
  CONSTRAINT devices_user_key_has_a_kind CHECK (user_key ~ '^[ug].'),
  CONSTRAINT devices_tags_are_few CHECK (cardinality(tags) <= 100),
  CONSTRAINT devices_quarantine_is_whole CHECK ((quarantined_at IS NULL) = (quarantine_reason IS NULL))
) WITH (fillfactor = 80);

-- Audiences are read along this index, with a user's devices next to each other.
CREATE INDEX devices_by_user ON devices (app, user_key, device) INCLUDE (bound_at) WHERE state = 1;
-- The time zones of an app's devices are read along this index, from one to the next. It holds the app's number as a bigint,
-- so that PostgreSQL takes it for no other statement: to its planner it looks smaller than an index of users.
CREATE INDEX devices_by_time_zone ON devices ((app::bigint), time_zone) WHERE state = 1;
-- Devices that can come back with their user.
CREATE INDEX devices_gone_by_user ON devices (app, user_key) WHERE state <> 1;
CREATE INDEX devices_by_pending_user ON devices (app, pending_user) WHERE pending_user IS NOT NULL;
-- Development devices: whether an app has any is asked when its credential is checked.
CREATE INDEX devices_in_sandbox ON devices (app) WHERE network = 1 AND environment = 2 AND state = 1;
CREATE INDEX devices_in_quarantine ON devices (app, device) WHERE quarantined_at IS NOT NULL;
-- Unregistered devices that still contain personal data. No index has `registered_at`, which changes whenever an app
-- registers again: each change would write an entry into every index of the device.
CREATE INDEX devices_unregistered ON devices (unregistered_at) WHERE state = 2 AND device_id <> '';
-- Devices whose apps may have been removed, by the time at which their networks refused their tokens.
CREATE INDEX devices_refused ON devices (refused_at) WHERE state = 3;
CREATE INDEX devices_set_aside ON devices (quarantined_at) WHERE quarantined_at IS NOT NULL;

-- The single source of truth for token ownership.
CREATE TABLE psids (
  device          uuid NOT NULL,
  bound_at        timestamptz NOT NULL,
  app             integer NOT NULL,
  network         smallint NOT NULL,
  kind            smallint NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  -- Only for kind 5 (updates of a Live Activity), of which a device may have several: the app's name of the activity,
  -- and of its attributes type. NULL for all others.
  activity        text COLLATE "C",
  activity_type   text COLLATE "C",
  PRIMARY KEY (app, psid, network, kind),
  CONSTRAINT psids_activity_is_of_a_kind CHECK ((activity IS NOT NULL) = (kind = 5))
) WITH (fillfactor = 90);

-- Finds tokens of kinds other than alert (voip, Live Activities …) by device.
CREATE INDEX psids_further ON psids (device, kind) WHERE kind > 1;
-- An activity ends on its own after some hours, and its token with it.
CREATE INDEX psids_activities ON psids (bound_at) WHERE kind = 5;

-- Former tokens of devices: receipts for messages sent to them count for 30 days.
CREATE TABLE former_psids (
  device          uuid NOT NULL,
  ended_at        timestamptz NOT NULL,
  app             integer NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, psid, device)
);

CREATE INDEX former_psids_by_end ON former_psids (ended_at);
-- Finds those of a person who is erased; written only when a device's token is replaced or ends.
CREATE INDEX former_psids_by_device ON former_psids (device);

-- Former users of devices, kept for as long as the history of a message may name them. A message's blocks are ordered
-- by user, so this table leads to the users of a device that has changed hands.
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

-- Guests are remembered too, and the user of a device that unregisters. A device that is being emptied leaves no trace.
CREATE TRIGGER devices_change_users AFTER UPDATE OF user_key ON devices FOR EACH ROW
  WHEN (OLD.user_key <> NEW.user_key AND NEW.device_id <> '') EXECUTE FUNCTION note_former_user();

-- The users under whom a message may have gone to a device; a guest's key follows from the device.
CREATE FUNCTION users_of_device(of_device uuid) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT user_key FROM devices WHERE device = of_device
  UNION SELECT user_key FROM former_users WHERE device = of_device
  UNION SELECT 'g' || of_device
$$;

-- Two registrations found the same free row: the later one is retried.
CREATE FUNCTION row_is_taken() RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'another registration has just taken this row' USING ERRCODE = 'serialization_failure';
END $$;

-- Messages sent by devices, per device and minute. Losing it in a machine crash would only let a few more through, so
-- it need not be in the WAL.
CREATE UNLOGGED TABLE device_send_meters (
  device          uuid PRIMARY KEY,
  window_began    timestamptz NOT NULL,
  sent            integer NOT NULL
) WITH (fillfactor = 70);

-- Time zones of devices ---------------------------------------------------------------------------------------------

-- The zone names that PostgreSQL knows; a node adds those of newer time zone data when it starts. PostgreSQL accepts
-- more than these ("A+1:02:03"), but planning by local time must not face as many zones as there are devices.
CREATE TABLE time_zones (
  name            text COLLATE "C" PRIMARY KEY
);

INSERT INTO time_zones (name) SELECT name FROM pg_timezone_names ON CONFLICT DO NOTHING;

-- The zone if PostgreSQL knows its name, otherwise `other`: devices may send anything.
CREATE FUNCTION zone_or(zone text, other text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM time_zones WHERE name = zone) THEN
    RETURN other;
  END IF;
  -- After a restore beside older time zone data, one of the names may be unknown here.
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN other;
END $$;

-- Whose device it is ------------------------------------------------------------------------------------------------

-- A voucher by the app's server: the next device that names this user is bound to it. Once used, it is
-- valid for that device and token only, and shortly.
CREATE TABLE vouchers (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The DEVICE_ID it is valid for; empty: any.
  device_id       text COLLATE "C" NOT NULL DEFAULT '',
  -- The token of the device that used it; empty: not used.
  psid            text COLLATE "C" NOT NULL DEFAULT '',
  expires_at      timestamptz NOT NULL,
  PRIMARY KEY (app, user_key)
);

CREATE INDEX vouchers_by_end ON vouchers (expires_at);

-- What a stricter identity mode would have refused, by day; each committer has rows of its own.
CREATE TABLE identity_refusals (
  app             integer NOT NULL,
  day             date NOT NULL,
  writer          integer NOT NULL,
  -- Devices that named a user without a proof or a voucher.
  unproved        bigint NOT NULL DEFAULT 0,
  -- Calls with an AUTHKEY that was requested with the token alone.
  asked           bigint NOT NULL DEFAULT 0,
  -- Devices that had a user and came with a new token, without the key of their last registration; they became guests.
  refreshed       bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (app, day, writer)
);

-- Pushes that the server sends of its own accord. A row is deleted when its message is stored.
CREATE TABLE device_notices (
  notice          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL,
  -- The device that the notice is about.
  device          uuid NOT NULL,
  -- 1: tells the user's other devices that there is a new one. 2: a push that the device itself must bring back.
  kind            smallint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  created_at      timestamptz NOT NULL,
  CONSTRAINT device_notices_kind_is_known CHECK (kind IN (1, 2))
);
