-- Why: who may be sent what (consents with their times), who is who (proofs of users, one device per user), and audiences
-- beyond lists: tags, saved segments, CSV files with variables for each line; further tokens of a device; and counts that
-- a user's other devices still have to be told.
-- Locks: apps, devices and users for a moment each (columns without a rewrite). Everything else is new.
-- The previous binary: works; it asks nobody's consent and leaves the new tables alone.

ALTER TABLE apps
  -- Naming a user needs a proof made with the secret of this generation; 0: it needs none.
  ADD COLUMN user_proof smallint NOT NULL DEFAULT 0,
  -- True when a user's other devices are told a new count by a silent push.
  ADD COLUMN badge_sync boolean NOT NULL DEFAULT false;

ALTER TABLE devices
  -- When each consent was last given or withdrawn; NULL while it was never asked.
  ADD COLUMN consent_notification_at timestamptz,
  ADD COLUMN consent_ad_at timestamptz,
  ADD COLUMN consent_night_ad_at timestamptz,
  -- Of the installation, whoever uses it.
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  -- Not valid for old rows without a look at them: they have none.
  ADD CONSTRAINT devices_tags_are_few CHECK (cardinality(tags) <= 100) NOT VALID;

ALTER TABLE users
  -- Of the user, on whatever device.
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT users_tags_are_few CHECK (cardinality(tags) <= 100) NOT VALID;

-- Audiences by condition, saved under a name. A message takes a copy, so that editing changes no message.
CREATE TABLE segments (
  segment         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  name            text NOT NULL,
  conditions      json NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  CONSTRAINT segments_name_is_unique UNIQUE (app, name)
);

-- Audiences from a file, with what differs for each line.
CREATE TABLE csv_audiences (
  csv             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- Of the file as it came: the same file is the same audience, so that an upload and what follows may be repeated.
  sha256          bytea NOT NULL,
  lines           integer NOT NULL,
  created_at      timestamptz NOT NULL,
  -- Nobody may use it after this, and the janitor drops it. Moved on by each message that uses it.
  expires_at      timestamptz NOT NULL,
  CONSTRAINT csv_audiences_are_stored_once UNIQUE (app, sha256)
);

CREATE INDEX csv_audiences_by_expiry ON csv_audiences (expires_at);

CREATE TABLE csv_lines (
  csv             bigint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- For %CNAME%; empty: the user's own.
  name            text NOT NULL,
  -- %VAR1% … %VAR9%; NULL where the line has none.
  var1            text,
  var2            text,
  var3            text,
  var4            text,
  var5            text,
  var6            text,
  var7            text,
  var8            text,
  var9            text,
  PRIMARY KEY (csv, user_key)
);

-- Users whose devices have yet to be told their count. One row per user, however often it moves: the count is read when
-- it is sent.
CREATE TABLE badge_syncs (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The device that knows already; NULL: none.
  device          uuid,
  -- Raised by each change, so that a sender deletes only what it has sent.
  generation      integer NOT NULL DEFAULT 0,
  attempts        smallint NOT NULL DEFAULT 0,
  due_at          timestamptz NOT NULL,
  PRIMARY KEY (app, user_key)
) WITH (fillfactor = 70);

CREATE INDEX badge_syncs_due ON badge_syncs (due_at);

-- A version as numbers that compare as people expect: 1.10 after 1.9, and 2.0 the same as 2. NULL for what is none.
CREATE FUNCTION version_parts(version text) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_to_array(
    regexp_replace(substring(version FROM '^[vV]?([0-9]{1,9}(?:\.[0-9]{1,9}){0,7})'), '(\.0+)+$', ''), '.')::integer[]
$$;
