-- Why: everything that the main job needs: apps, devices, users with their badge, groups, messages and their outcomes.
-- Locks: nothing that exists. Takes milliseconds on an empty database.
-- The previous binary: there is none.
--
-- Keys. Every hot table starts its key with what it would be distributed by if the database grew over several machines:
-- devices by device, users and ledger by (app, user_key), outcomes, receipts and reads by (seqno, device), tokens by
-- (app, psid). No foreign keys between them for the same reason; what must hold is held by the statements.
-- Text keys use the collation "C": byte order, so that ranges are the same everywhere and comparisons are cheap.

-- Administration ----------------------------------------------------------------------------------------------------

CREATE TABLE apps (
  app             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id          text COLLATE "C" NOT NULL,
  name            text NOT NULL,
  time_zone       text NOT NULL DEFAULT 'Asia/Seoul',
  -- 0: a user's devices all get its messages; 1: the last registered device is the only one.
  device_policy   smallint NOT NULL DEFAULT 0,
  -- Identifies the app; it is inside every copy of the app, so it is no secret and may be shown again.
  client_key      text COLLATE "C" NOT NULL,
  -- Why sending is held back; NULL when it is not.
  paused_reason   text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT apps_app_id_is_unique UNIQUE (app_id),
  CONSTRAINT apps_client_key_is_unique UNIQUE (client_key),
  CONSTRAINT apps_device_policy_is_known CHECK (device_policy IN (0, 1))
);

-- What opens a push network for an app. The secret is sealed with the master key and bound to this row.
CREATE TABLE credentials (
  app             integer NOT NULL REFERENCES apps,
  network         smallint NOT NULL,
  -- 'apns-key'
  kind            text NOT NULL,
  -- What may be shown: key id, team id.
  public_part     jsonb NOT NULL,
  sealed          bytea NOT NULL,
  updated_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app, network)
);

-- One APNs provider token per (team, key) for all connections, restarts and nodes: Apple refuses a new one more often
-- than every 20 minutes. Minted under the row's lock.
CREATE TABLE provider_tokens (
  team_id         text COLLATE "C" NOT NULL,
  key_id          text COLLATE "C" NOT NULL,
  token           text NOT NULL,
  issued_at       timestamptz NOT NULL,
  PRIMARY KEY (team_id, key_id)
);

-- Keys of back-office systems and operators: only the hash is stored.
CREATE TABLE api_keys (
  api_key         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256          bytea NOT NULL,
  role            text NOT NULL,
  -- NULL: every app.
  app             integer REFERENCES apps,
  name            text NOT NULL DEFAULT '',
  created_at      timestamptz NOT NULL DEFAULT now(),
  revoked_at      timestamptz,
  CONSTRAINT api_keys_sha256_is_unique UNIQUE (sha256),
  CONSTRAINT api_keys_role_is_known CHECK (role IN ('sender', 'operator', 'viewer', 'admin'))
);

-- The server's own signing keys (pushkey, authKey), sealed with the master key.
CREATE TABLE signing_keys (
  purpose         text NOT NULL,
  generation      integer NOT NULL,
  sealed          bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (purpose, generation)
);

-- Devices, users, groups --------------------------------------------------------------------------------------------

-- The only truth about who owns a token.
CREATE TABLE psids (
  app             integer NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  network         smallint NOT NULL,
  kind            smallint NOT NULL,
  device          uuid NOT NULL,
  bound_at        timestamptz NOT NULL,
  PRIMARY KEY (app, psid, network, kind)
) WITH (fillfactor = 90);

-- Tokens a device had before: receipts for messages sent to them still count for 30 days.
CREATE TABLE former_psids (
  app             integer NOT NULL,
  psid            text COLLATE "C" NOT NULL,
  device          uuid NOT NULL,
  ended_at        timestamptz NOT NULL,
  PRIMARY KEY (app, psid, device)
);

-- One row per installation. Unregistered devices stay as tombstones (state 2) until retention erases them.
CREATE TABLE devices (
  device          uuid PRIMARY KEY,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  network         smallint NOT NULL,
  environment     smallint NOT NULL,
  -- 1 active, 2 unregistered, 3 token refused by the network
  state           smallint NOT NULL,
  -- Raised to end all authKeys of this device.
  auth_epoch      smallint NOT NULL DEFAULT 0,
  psid            text COLLATE "C" NOT NULL,
  device_id       text COLLATE "C" NOT NULL,
  platform        text NOT NULL DEFAULT '',
  model           text NOT NULL DEFAULT '',
  os_version      text NOT NULL DEFAULT '',
  app_version     text NOT NULL DEFAULT '',
  locale          text NOT NULL DEFAULT '',
  time_zone       text NOT NULL DEFAULT '',
  -- NULL: never asked.
  consent_notification boolean,
  consent_ad      boolean,
  consent_night_ad boolean,
  -- When it got this user and this token. An identical registration leaves it.
  bound_at        timestamptz NOT NULL,
  -- The last registration: a 410 older than this drops nothing.
  registered_at   timestamptz NOT NULL,
  created_at      timestamptz NOT NULL,
  CONSTRAINT devices_state_is_known CHECK (state IN (1, 2, 3)),
  CONSTRAINT devices_user_key_has_a_kind CHECK (user_key ~ '^[ug].')
) WITH (fillfactor = 80);

-- Audiences are read along this index, a user's devices side by side.
CREATE INDEX devices_by_user ON devices (app, user_key, device) INCLUDE (bound_at) WHERE state = 1;

CREATE TABLE users (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  name            text NOT NULL DEFAULT '',
  badge           smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (app, user_key),
  CONSTRAINT users_badge_is_in_range CHECK (badge BETWEEN 0 AND 1000)
) WITH (fillfactor = 70);

-- What each message did to each user's count: it moves once, whatever is repeated.
CREATE TABLE badge_ledger (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  seqno           bigint NOT NULL,
  -- Added when the message was claimed for the user; 0 when the message has no badge.
  increment       smallint NOT NULL,
  -- Deliveries claimed for the user, and how many of them ended negative: when all did, the increment is taken back.
  deliveries      smallint NOT NULL DEFAULT 0,
  negatives       smallint NOT NULL DEFAULT 0,
  -- The option of the first read that moves the count; NULL until then.
  read_option     smallint,
  PRIMARY KEY (app, user_key, seqno)
) WITH (fillfactor = 85);

CREATE TABLE groups (
  groupseq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  name            text NOT NULL,
  parent          bigint REFERENCES groups,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT groups_name_is_unique_below_parent UNIQUE NULLS NOT DISTINCT (app, parent, name)
);

CREATE TABLE group_members (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  groupseq        bigint NOT NULL,
  joined_at       timestamptz NOT NULL,
  PRIMARY KEY (app, user_key, groupseq)
);

CREATE INDEX group_members_by_group ON group_members (app, groupseq, user_key);

-- Messages ----------------------------------------------------------------------------------------------------------

CREATE TABLE messages (
  seqno           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  state           smallint NOT NULL,
  lane            smallint NOT NULL,
  -- The request as it was accepted.
  request         json NOT NULL,
  -- SHA-256 of the body, to tell a repeated request from another one under the same idempotency key.
  request_sha256  bytea NOT NULL,
  idempotency_key text COLLATE "C",
  -- Who asked: an API key's number; NULL for the command line.
  api_key         integer,
  -- Members of the audience; corrected when it is frozen and as claims find more or less. NULL: not counted yet.
  targeted        bigint,
  -- Answered to the sender, repeated for a repeated request.
  unknown_entries json NOT NULL DEFAULT '[]',
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  -- Devices that joined later do not belong.
  frozen_at       timestamptz,
  -- True when all shards are written.
  planned         boolean NOT NULL DEFAULT false,
  finished_at     timestamptz,
  CONSTRAINT messages_state_is_known CHECK (state BETWEEN 0 AND 7),
  CONSTRAINT messages_finished_when_final CHECK ((state >= 4) = (finished_at IS NOT NULL))
);

CREATE UNIQUE INDEX messages_idempotency_key_is_unique ON messages (app, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- What the dispatcher still has to do.
CREATE INDEX messages_open ON messages (lane, seqno) WHERE state < 4;

-- A part of an audience: claimed batch by batch, the cursor moving with each.
CREATE TABLE shards (
  seqno           bigint NOT NULL,
  shard           integer NOT NULL,
  -- Range audiences: user keys in (after_key, upto_key]. List audiences: entries [list_from, list_to) of the request.
  after_key       text COLLATE "C",
  upto_key        text COLLATE "C",
  list_from       integer,
  list_to         integer,
  -- Where the next claim begins: a user key, or the number of an entry.
  cursor_key      text COLLATE "C",
  cursor_entry    integer,
  targeted        bigint NOT NULL,
  claimed         bigint NOT NULL DEFAULT 0,
  -- True when everything has been claimed.
  exhausted       boolean NOT NULL DEFAULT false,
  PRIMARY KEY (seqno, shard)
) WITH (fillfactor = 50);

CREATE INDEX shards_open ON shards (seqno, shard) WHERE NOT exhausted;

-- Nodes that are alive. A claim of a node that is not may be taken over.
CREATE TABLE nodes (
  node            uuid PRIMARY KEY,
  alive_until     timestamptz NOT NULL
);

-- Devices that have been claimed and whose outcomes are not all written: after a crash exactly these are in doubt.
CREATE TABLE claims (
  claim           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seqno           bigint NOT NULL,
  node            uuid NOT NULL,
  -- Raised whenever another node takes the claim over.
  fence           integer NOT NULL DEFAULT 0,
  devices         uuid[] NOT NULL,
  user_keys       text[] NOT NULL
);

CREATE INDEX claims_by_node ON claims (node);
CREATE INDEX claims_by_message ON claims (seqno);

-- The outcome is the only row of an ordinary delivery.
CREATE TABLE outcomes (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  at              timestamptz NOT NULL,
  -- For deferred ones: when to try again; NULL while claimed.
  due_at          timestamptz,
  status          smallint NOT NULL,
  attempts        smallint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- In the network's own word, or ours for what was skipped; NULL when accepted.
  reason          text,
  PRIMARY KEY (seqno, device),
  CONSTRAINT outcomes_status_is_known CHECK (status BETWEEN 1 AND 6)
) PARTITION BY RANGE (seqno);

CREATE INDEX outcomes_due ON outcomes (due_at) WHERE status = 6;

CREATE TABLE receipts (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  at              timestamptz NOT NULL,
  PRIMARY KEY (seqno, device)
) PARTITION BY RANGE (seqno);

CREATE TABLE reads (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  at              timestamptz NOT NULL,
  PRIMARY KEY (seqno, device)
) PARTITION BY RANGE (seqno);

-- Running totals, one row per message and writer, so that writers never wait for each other.
CREATE TABLE message_totals (
  seqno           bigint NOT NULL,
  writer          integer NOT NULL,
  accepted        bigint NOT NULL DEFAULT 0,
  rejected        bigint NOT NULL DEFAULT 0,
  expired         bigint NOT NULL DEFAULT 0,
  cancelled       bigint NOT NULL DEFAULT 0,
  skipped         bigint NOT NULL DEFAULT 0,
  unknown         bigint NOT NULL DEFAULT 0,
  resent          bigint NOT NULL DEFAULT 0,
  received        bigint NOT NULL DEFAULT 0,
  read            bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (seqno, writer)
) WITH (fillfactor = 50);

CREATE TABLE reason_totals (
  seqno           bigint NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  writer          integer NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (seqno, reason, writer)
) WITH (fillfactor = 50);

-- Partitions --------------------------------------------------------------------------------------------------------

-- Makes the next range of SEQNOs, `width` wide, for the three big tables; returns where it ends.
-- Serialised by the lock on the sequence of ranges, so two nodes may call it together.
CREATE TABLE seqno_ranges (
  from_seqno      bigint PRIMARY KEY,
  upto_seqno      bigint NOT NULL,
  made_at         timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION add_seqno_range(width bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  low bigint;
  high bigint;
  parent text;
BEGIN
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  SELECT coalesce(max(upto_seqno), 1) INTO low FROM seqno_ranges;
  high := low + width;
  INSERT INTO seqno_ranges (from_seqno, upto_seqno) VALUES (low, high);
  FOREACH parent IN ARRAY ARRAY['outcomes', 'receipts', 'reads'] LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
      parent || '_' || low, parent, low, high);
  END LOOP;
  RETURN high;
END $$;

SELECT add_seqno_range(1000000);
