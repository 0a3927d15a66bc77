-- Why: who can be reached: users with their counts; the groups, segments and files that audiences refer to; and persons
-- being erased.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Users and their counts --------------------------------------------------------------------------------------------

CREATE TABLE users (
  -- Increases with each set of the count, to at least the highest SEQNO assigned by then: what messages with a higher
  -- SEQNO added was added afterwards. NULL: never set.
  set_seqno       bigint,
  app             integer NOT NULL,
  badge           smallint NOT NULL DEFAULT 0,
  user_key        text COLLATE "C" NOT NULL,
  name            text NOT NULL DEFAULT '',
  -- Tags of the user, independent of the device.
  tags            text[] NOT NULL DEFAULT '{}',
  -- The telephone number that the user's app provided, for SMS by the customer's gateway. Sealed with the master key,
  -- so that neither the database nor a backup reveals it.
  phone           bytea,
  PRIMARY KEY (app, user_key),
  CONSTRAINT users_badge_is_in_range CHECK (badge BETWEEN 0 AND 1000),
  CONSTRAINT users_tags_are_few CHECK (cardinality(tags) <= 100)
) WITH (fillfactor = 70);

-- Finds customers by the beginning of their name.
CREATE INDEX users_by_name ON users (app, name COLLATE "C", user_key) WHERE name <> '';

-- What each message did to each user's count: it changes once, whatever is repeated.
CREATE TABLE badge_ledger (
  seqno           bigint NOT NULL,
  -- The user's set_seqno when the increment was added, if not below the message's own SEQNO: the message is older than
  -- the set, but its increment is newer. What was added before a set is not taken back.
  counted_at      bigint,
  app             integer NOT NULL,
  -- Deliveries claimed for the user, and how many of them ended negative; when all did, the increment is taken back.
  deliveries      integer NOT NULL DEFAULT 0,
  negatives       integer NOT NULL DEFAULT 0,
  -- Added when the message was claimed for the user; 0 for a message without a badge.
  increment       smallint NOT NULL,
  -- The option of the first read that changes the count; NULL until then.
  read_option     smallint,
  user_key        text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, user_key, seqno)
) WITH (fillfactor = 85);

-- Users whose devices must still be sent their count. One row per user, however often it changes: the count is read
-- when it is sent.
CREATE TABLE badge_syncs (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The device that already knows the count; NULL: none.
  device          uuid,
  -- Incremented by each change, so that a sender deletes only what it has sent.
  generation      integer NOT NULL DEFAULT 0,
  attempts        smallint NOT NULL DEFAULT 0,
  due_at          timestamptz NOT NULL,
  PRIMARY KEY (app, user_key)
) WITH (fillfactor = 70);

CREATE INDEX badge_syncs_due ON badge_syncs (due_at);

-- Groups, segments, files -------------------------------------------------------------------------------------------

CREATE TABLE groups (
  groupseq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  name            text NOT NULL,
  parent          bigint REFERENCES groups,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Devices may join on their own.
  is_joinable     boolean NOT NULL DEFAULT true,
  CONSTRAINT groups_name_is_unique_below_parent UNIQUE NULLS NOT DISTINCT (app, parent, name)
);

CREATE TABLE group_members (
  groupseq        bigint NOT NULL,
  joined_at       timestamptz NOT NULL,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, user_key, groupseq)
);

CREATE INDEX group_members_by_group ON group_members (app, groupseq, user_key);

-- Saved audiences by condition. A message takes a copy, so that editing a segment changes no message.
CREATE TABLE segments (
  segment         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  name            text NOT NULL,
  conditions      json NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  CONSTRAINT segments_name_is_unique UNIQUE (app, name)
);

-- A version as numbers that compare as people expect: 1.10 after 1.9, and 2.0 equal to 2. NULL for an invalid one.
CREATE FUNCTION version_parts(version text) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_to_array(
    regexp_replace(substring(version FROM '^[vV]?([0-9]{1,9}(?:\.[0-9]{1,9}){0,7})'), '(\.0+)+$', ''), '.')::integer[]
$$;

-- Audiences from files, with values per line.
CREATE TABLE csv_audiences (
  csv             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- Hash of the file as uploaded: the same file is the same audience, so that an upload and what follows may be
  -- repeated.
  sha256          bytea NOT NULL,
  lines           integer NOT NULL,
  -- Size of the text in UTF-8.
  bytes           bigint NOT NULL,
  created_at      timestamptz NOT NULL,
  -- It cannot be used after this, and the janitor deletes it. Extended by each message that uses it.
  expires_at      timestamptz NOT NULL,
  CONSTRAINT csv_audiences_are_stored_once UNIQUE (app, sha256)
);

CREATE INDEX csv_audiences_by_expiry ON csv_audiences (expires_at);

CREATE TABLE csv_lines (
  csv             bigint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- For %CNAME%; empty: the user's own name.
  name            text NOT NULL,
  -- %VAR1% … %VAR9%; NULL where the line has no value.
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

-- Erased persons -----------------------------------------------------------------------------------------------------

-- Erased persons whose key may still be stored with deliveries to devices that have changed hands, because no index
-- leads there. One walk through the deliveries of all messages searches for all of them; later ones join it.
CREATE TABLE erasures (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  upto_seqno      bigint NOT NULL,
  asked_at        timestamptz NOT NULL DEFAULT now(),
  -- The erasure was observed: transactions that began earlier may still process the person.
  seen_at         timestamptz,
  -- All of those have ended; claims up to this one may contain the person's key. Once set, `upto_seqno` is final.
  upto_claim      bigint,
  -- Where it joined the walk.
  lap             integer,
  from_seqno      bigint,
  from_device     uuid,
  PRIMARY KEY (app, user_key),
  CONSTRAINT erasures_join_when_settled CHECK (lap IS NULL OR upto_claim IS NOT NULL)
);

-- How far the walk has come. A single row: the node that locks it takes the next step.
CREATE TABLE erasure_walk (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT erasure_walk_is_one CHECK (is_only),
  lap             integer NOT NULL DEFAULT 1,
  seqno           bigint NOT NULL DEFAULT 0,
  device          uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);

INSERT INTO erasure_walk DEFAULT VALUES;

-- Deliveries of erased persons that had not ended when the walk passed.
CREATE TABLE erasure_rests (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  looked_at       timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (seqno, device)
);
