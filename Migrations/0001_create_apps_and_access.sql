-- Why: apps with their settings and credentials; who may do what (API keys, accounts of the console, sign-in), and the log of
-- what they did.
-- Locks: nothing that exists.
-- The previous binary: there is none. Files 0001 to 0009 are the whole schema, made in an empty database.
--
-- Keys. Every hot table starts its key with what it would be distributed by if the database grew over several machines:
-- devices by device, users and ledger by (app, user_key), outcomes by (seqno, device), blocks by (seqno, block), tokens by
-- (app, psid). No foreign keys between them for the same reason; what must hold is held by the statements.
-- Text keys use the collation "C": byte order, so that ranges are the same everywhere and comparisons are cheap.
-- Columns of tables with many rows stand by width, the widest first, so that nothing is lost to alignment; columns of the
-- others stand by what they are about.

-- Apps --------------------------------------------------------------------------------------------------------------

CREATE TABLE apps (
  app             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id          text COLLATE "C" NOT NULL,
  name            text NOT NULL,
  time_zone       text NOT NULL DEFAULT 'Asia/Seoul',
  -- Identifies the app; it is inside every copy of the app, so it is no secret and may be shown again.
  client_key      text COLLATE "C" NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),

  -- Why sending is held back; NULL when it is not.
  paused_reason   text,
  -- When its last pause ended: answers from before it no longer count for the circuit breaker.
  resumed_at      timestamptz,

  -- Whose device is whose. 0 open, 1 proof, 2 strict.
  identity        smallint NOT NULL DEFAULT 1,
  -- A stricter one that is tried out: what it would refuse is counted.
  observed_identity smallint,
  -- Until then devices stay with users that nobody vouched for. NULL: there are none.
  grace_ends_at   timestamptz,
  -- The number of the secret that proofs of users are made with.
  user_proof      smallint NOT NULL DEFAULT 1,
  keeps_user_on_refresh boolean NOT NULL DEFAULT false,
  confidential_to_proved boolean NOT NULL DEFAULT false,
  -- True when a user's other devices are told of a new one.
  tells_devices   boolean NOT NULL DEFAULT false,
  -- 0: a user's devices all get its messages; 1: the last registered device is the only one.
  device_policy   smallint NOT NULL DEFAULT 0,

  -- Messages that one device may send in a minute; 0: none.
  device_sends    smallint NOT NULL DEFAULT 0,
  -- True when a user's other devices are told a new count by a silent push.
  badge_sync      boolean NOT NULL DEFAULT false,
  -- True when the app has a Notification Service Extension, which makes the receipt: iOS starts it for mutable-content
  -- alone, so the app's alerts carry that key.
  extension       boolean NOT NULL DEFAULT true,

  -- What Android devices are told where a message says nothing else: as `android` in a send.
  android         jsonb NOT NULL DEFAULT '{}',

  -- Ads to devices without consent for the night (`consent_night_ad`) wait from `ad_night_from` to `ad_night_to`, by the
  -- device's clock. NULL: at no hour.
  ad_night_from   time DEFAULT '21:00',
  ad_night_to     time DEFAULT '08:00',
  -- What every ad begins with, and what it must say about how to refuse more of them; empty: no such rule.
  ad_label        text NOT NULL DEFAULT '(광고)',
  ad_opt_out      text NOT NULL DEFAULT '',

  -- What an account sends to more devices than this needs a second person; NULL: nothing does.
  approval_above  bigint,
  -- A bit for each lane (1: urgent, 2: normal, 4: bulk) whose messages are confidential without saying so.
  confidential_lanes smallint NOT NULL DEFAULT 0,
  -- Also of sends that come through the SDK's door.
  confidential_sdk boolean NOT NULL DEFAULT false,

  CONSTRAINT apps_app_id_is_unique UNIQUE (app_id),
  CONSTRAINT apps_client_key_is_unique UNIQUE (client_key),
  CONSTRAINT apps_identity_is_known CHECK (identity IN (0, 1, 2)),
  CONSTRAINT apps_device_policy_is_known CHECK (device_policy IN (0, 1)),
  CONSTRAINT apps_device_sends_is_in_range CHECK (device_sends BETWEEN 0 AND 1000),
  CONSTRAINT apps_ad_night_has_two_ends CHECK (
    (ad_night_from IS NULL) = (ad_night_to IS NULL) AND ad_night_from IS DISTINCT FROM coalesce(ad_night_to, '00:00')),
  CONSTRAINT apps_approval_above_is_in_range CHECK (approval_above BETWEEN 1 AND 1000000000)
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
  -- When a server began to ask the push network whether it takes this credential, and when it knew.
  check_begun_at  timestamptz,
  checked_at      timestamptz,
  -- 1 works, 2 refused, 3 nobody could be reached; and the network's own word.
  check_result    smallint,
  check_word      text,
  PRIMARY KEY (app, network),
  CONSTRAINT credentials_check_result_is_known CHECK (check_result IN (1, 2, 3))
);

-- One APNs provider token per private key for all connections, restarts and nodes: Apple refuses a new one more often than
-- every 20 minutes. Minted under the row's lock.
CREATE TABLE apns_tokens (
  -- Of team, key id and public key: who has not the private key has another row. Team and key id alone would not do, for
  -- anybody may write them beside a key of their own.
  fingerprint     text COLLATE "C" PRIMARY KEY,
  -- With the master key, for this row.
  sealed          bytea NOT NULL,
  issued_at       timestamptz NOT NULL
);

-- The server's own signing keys (pushkey, authKey), sealed with the master key.
CREATE TABLE signing_keys (
  purpose         text NOT NULL,
  generation      integer NOT NULL,
  sealed          bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (purpose, generation)
);

-- API keys ----------------------------------------------------------------------------------------------------------

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
  -- The person who made it, as `messages.asked_by` names persons: what the key makes, its maker has made.
  made_by         text COLLATE "C",
  CONSTRAINT api_keys_sha256_is_unique UNIQUE (sha256),
  CONSTRAINT api_keys_role_is_known CHECK (role IN ('sender', 'operator', 'viewer', 'admin'))
);

-- Accounts of the console --------------------------------------------------------------------------------------------

CREATE TABLE accounts (
  account         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What its owner signs in with, lower case.
  login           text COLLATE "C" NOT NULL,
  name            text NOT NULL,
  role            text NOT NULL,
  -- NULL: every app.
  app             integer REFERENCES apps,
  -- scrypt; NULL until a password is chosen.
  password        bytea,
  salt            bytea,
  created_at      timestamptz NOT NULL DEFAULT now(),
  disabled_at     timestamptz,
  CONSTRAINT accounts_login_is_unique UNIQUE (login),
  CONSTRAINT accounts_role_is_known CHECK (role IN ('sender', 'operator', 'viewer', 'admin')),
  CONSTRAINT accounts_password_is_salted CHECK ((password IS NULL) = (salt IS NULL))
);

-- Whose hands an account was in: whoever made it, or a link that opens it, could have signed in there. So nobody is their
-- own second person.
CREATE TABLE account_hands (
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- A person, as in `messages.asked_by`.
  hand            text COLLATE "C" NOT NULL,
  at              timestamptz NOT NULL,
  -- True: made the account; false: only a link.
  made            boolean NOT NULL
);

CREATE INDEX account_hands_by_account ON account_hands (account);

-- Only hashes: whoever reads this table cannot sign in with it.
CREATE TABLE sessions (
  sha256          bytea PRIMARY KEY,
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at      timestamptz NOT NULL,
  -- Moved on while it is used, never beyond `ends_at`.
  idle_until      timestamptz NOT NULL,
  ends_at         timestamptz NOT NULL,
  origin          text NOT NULL,
  -- Whoever came by a link may choose a password without knowing the present one.
  by_link         boolean NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account);
CREATE INDEX sessions_by_end ON sessions (ends_at);

CREATE TABLE sign_in_links (
  sha256          bytea PRIMARY KEY,
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  ends_at         timestamptz NOT NULL
);

-- Attempts to sign in that failed, by login and by address (hashed), on all nodes together.
CREATE TABLE sign_in_failures (
  subject         bytea PRIMARY KEY,
  failures        integer NOT NULL,
  -- The count begins anew after that.
  until           timestamptz NOT NULL,
  -- Before this nobody from an unknown place may try the login again; for logins that are being guessed.
  next_at         timestamptz
);

CREATE INDEX sign_in_failures_by_end ON sign_in_failures (until);

-- Where accounts have signed in from: there nobody else's guessing slows their owners down. A place is a hashed network.
CREATE TABLE sign_in_places (
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  place           bytea NOT NULL,
  seen_at         timestamptz NOT NULL,
  PRIMARY KEY (account, place)
);

-- Audit -------------------------------------------------------------------------------------------------------------

-- Who did what, when, from where. Written in the transaction of the change itself.
CREATE TABLE audit_log (
  entry           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at              timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- One of the two, or neither for the command line.
  api_key         integer,
  account         integer,
  app             integer,
  -- The name that key or account had then.
  actor           text NOT NULL,
  role            text NOT NULL,
  -- The address it came from; empty for the command line.
  origin          text NOT NULL,
  request_id      text NOT NULL,
  action          text COLLATE "C" NOT NULL,
  -- What was changed, as its lists name it.
  object          text NOT NULL,
  -- As far as it can be said without secrets.
  before          json,
  after           json
);

CREATE INDEX audit_log_by_app ON audit_log (app, entry);

-- An entry stands: whoever can write to the log can only add to it.
CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log can only be added to' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit_log();
CREATE TRIGGER audit_log_is_never_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();

-- Who has looked at which list of people in which hour: the audit log gets one entry of each.
CREATE TABLE audit_readings (
  reader          text COLLATE "C" NOT NULL,
  list            text COLLATE "C" NOT NULL,
  -- 0: all.
  app             integer NOT NULL,
  hour            timestamptz NOT NULL,
  PRIMARY KEY (reader, list, app, hour)
);
