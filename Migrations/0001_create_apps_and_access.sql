-- Why: apps with their settings and credentials; access (API keys, console accounts, sign-in), and the audit log.
-- Locks: nothing that exists.
-- The previous binary: there is none. Files 0001 to 0009 are the whole schema, made in an empty database.
--
-- Keys. The key of every hot table starts with the column by which the table would be distributed if the database grew
-- beyond one machine: devices by device, users and ledger by (app, user_key), outcomes by (seqno, device), blocks by
-- (seqno, block), tokens by (app, psid). For the same reason there are no foreign keys between them; the statements
-- maintain their invariants. Text keys use the collation "C": byte order, so that ranges are the same everywhere and
-- comparisons are cheap. Columns of tables with many rows are ordered by width, widest first, so that no space is lost
-- to alignment; columns of other tables are grouped by subject.

-- Apps --------------------------------------------------------------------------------------------------------------

CREATE TABLE apps (
  app             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id          text COLLATE "C" NOT NULL,
  name            text NOT NULL,
  time_zone       text NOT NULL DEFAULT 'Asia/Seoul',
  -- Identifies the app. It is inside every copy of the app, so it is no secret and may be shown again.
  client_key      text COLLATE "C" NOT NULL,
  -- The one before, which identifies the app too until it ends; NULL: none, and no end.
  former_client_key text COLLATE "C",
  former_client_key_ends_at timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),

  -- Why the app is paused; NULL when it is not.
  paused_reason   text,
  -- Since when it is being deleted, and when its grace ends; NULL: it is not. What it was paused for before.
  deleting_since  timestamptz,
  purge_after     timestamptz,
  paused_before   text,
  -- When its last pause ended; responses to earlier submissions no longer count for the circuit breaker.
  resumed_at      timestamptz,

  -- How devices are bound to users: 0 open, 1 proof, 2 strict.
  identity        smallint NOT NULL DEFAULT 1,
  -- A stricter mode that is only observed: what it would refuse is counted.
  observed_identity smallint,
  -- Until then devices keep users that are not vouched for. NULL: no grace period.
  grace_ends_at   timestamptz,
  -- Generation of the secret for user proofs.
  user_proof      smallint NOT NULL DEFAULT 1,
  keeps_user_on_refresh boolean NOT NULL DEFAULT false,
  confidential_to_proved boolean NOT NULL DEFAULT false,
  -- Whether a user's other devices are notified of a new one.
  tells_devices   boolean NOT NULL DEFAULT false,
  -- 0: all of a user's devices receive its messages; 1: the last registered device is the only one.
  device_policy   smallint NOT NULL DEFAULT 0,

  -- Messages that one device may send per minute; 0: none.
  device_sends    smallint NOT NULL DEFAULT 0,
  -- Whether a user's other devices receive a new count by silent push.
  badge_sync      boolean NOT NULL DEFAULT false,
  -- Whether the app has a Notification Service Extension, which sends the receipt: iOS starts it only for
  -- mutable-content, so the app's alerts carry that key.
  extension       boolean NOT NULL DEFAULT true,

  -- Defaults for Android devices, in the form of `android` in a send.
  android         jsonb NOT NULL DEFAULT '{}',

  -- Ads to devices without consent for the night (`consent_night_ad`) wait from `ad_night_from` to `ad_night_to`, by
  -- the device's clock. NULL: they never wait.
  ad_night_from   time DEFAULT '21:00',
  ad_night_to     time DEFAULT '08:00',
  -- What every ad must begin with, and the opt-out notice it must contain; empty: no such rule.
  ad_label        text NOT NULL DEFAULT '(광고)',
  ad_opt_out      text NOT NULL DEFAULT '',

  -- A person's send to more devices than this needs a second person's approval; NULL: none does.
  approval_above  bigint,
  -- One bit per lane (1: urgent, 2: normal, 4: bulk) whose messages are confidential by default.
  confidential_lanes smallint NOT NULL DEFAULT 0,
  -- Whether that includes sends through the SDK's wire protocol.
  confidential_sdk boolean NOT NULL DEFAULT false,

  CONSTRAINT apps_app_id_is_unique UNIQUE (app_id),
  CONSTRAINT apps_client_key_is_unique UNIQUE (client_key),
  CONSTRAINT apps_deletion_is_whole CHECK ((deleting_since IS NULL) = (purge_after IS NULL)),
  -- Enforced for every program: an app that is being deleted sends nothing.
  CONSTRAINT apps_deleted_are_paused CHECK (purge_after IS NULL OR paused_reason IS NOT NULL),
  CONSTRAINT apps_identity_is_known CHECK (identity IN (0, 1, 2)),
  CONSTRAINT apps_device_policy_is_known CHECK (device_policy IN (0, 1)),
  CONSTRAINT apps_device_sends_is_in_range CHECK (device_sends BETWEEN 0 AND 1000),
  CONSTRAINT apps_ad_night_has_two_ends CHECK (
    (ad_night_from IS NULL) = (ad_night_to IS NULL) AND ad_night_from IS DISTINCT FROM coalesce(ad_night_to, '00:00')),
  CONSTRAINT apps_approval_above_is_in_range CHECK (approval_above BETWEEN 1 AND 1000000000)
);

-- Apps whose grace has ended: how far the removal of what they left has come. The row stays, so that the id is never used
-- again. Decision 156.
CREATE TABLE app_purges (
  app             integer PRIMARY KEY,
  app_id          text COLLATE "C" NOT NULL,
  begun_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Nodes take turns by it.
  looked_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The part that is being removed, and where in it; empty: at its beginning.
  stage           text COLLATE "C" NOT NULL DEFAULT '',
  place           text COLLATE "C" NOT NULL DEFAULT '',
  -- Rows removed in all, and since all parts were last begun: a round that finds nothing is the last one.
  removed         bigint NOT NULL DEFAULT 0,
  round_removed   bigint NOT NULL DEFAULT 0,
  -- When nothing was left; NULL: it goes on.
  ended_at        timestamptz,
  CONSTRAINT app_purges_app_id_is_unique UNIQUE (app_id)
);

CREATE FUNCTION refuse_id_of_deleted_app() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM app_purges WHERE app_id = NEW.app_id) THEN
    RAISE EXCEPTION 'the id of a deleted app is never used again'
      USING ERRCODE = 'unique_violation', CONSTRAINT = 'app_purges_app_id_is_unique';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER apps_have_new_ids BEFORE INSERT ON apps FOR EACH ROW EXECUTE FUNCTION refuse_id_of_deleted_app();

-- An app's credential for a push network. The secret is sealed with the master key and bound to this row.
CREATE TABLE credentials (
  app             integer NOT NULL REFERENCES apps,
  network         smallint NOT NULL,
  -- 'apns-key'
  kind            text NOT NULL,
  -- What may be shown: key id, team id.
  public_part     jsonb NOT NULL,
  sealed          bytea NOT NULL,
  updated_at      timestamptz NOT NULL DEFAULT now(),
  -- When a server began to test the credential with the push network, and when it had the result.
  check_begun_at  timestamptz,
  checked_at      timestamptz,
  -- 1 works, 2 refused, 3 unreachable; and the network's own reason.
  check_result    smallint,
  check_word      text,
  PRIMARY KEY (app, network),
  CONSTRAINT credentials_check_result_is_known CHECK (check_result IN (1, 2, 3))
);

-- One APNs provider token per private key for all connections, restarts and nodes, because Apple refuses to see a new
-- one more than once in 20 minutes. Minted under the row's lock.
CREATE TABLE apns_tokens (
  -- Hash of team, key id and public key, so that a different private key has a different row. Team and key id alone
  -- would not do: anyone may state them with a key of their own.
  fingerprint     text COLLATE "C" PRIMARY KEY,
  -- With the master key, for this row.
  sealed          bytea NOT NULL,
  issued_at       timestamptz NOT NULL
);

-- The server's own signing keys (pushkey, authKey), sealed with the master key. Every one that has not ended verifies;
-- the newest active one signs.
CREATE TABLE signing_keys (
  purpose         text NOT NULL,
  generation      integer NOT NULL,
  sealed          bytea NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- A new key signs only when every node has read it.
  active_at       timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  PRIMARY KEY (purpose, generation)
);

-- Master keys that have sealed, by their ids; the newest one seals. The keys themselves are in no database.
CREATE TABLE master_keys (
  entry           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key_id          bytea NOT NULL,
  since           timestamptz NOT NULL DEFAULT now()
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
  -- From then on it is refused; NULL: it never ends.
  ends_at         timestamptz,
  -- Its last use, to the minute; nodes write it once a minute. NULL: never used.
  used_at         timestamptz,
  -- The person who created it, in the form of `messages.asked_by`; what the key creates counts as created by that
  -- person.
  made_by         text COLLATE "C",
  CONSTRAINT api_keys_sha256_is_unique UNIQUE (sha256),
  CONSTRAINT api_keys_role_is_known CHECK (role IN ('sender', 'operator', 'viewer', 'admin'))
);

-- Accounts of the console --------------------------------------------------------------------------------------------

CREATE TABLE accounts (
  account         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The login name, in lower case.
  login           text COLLATE "C" NOT NULL,
  name            text NOT NULL,
  role            text NOT NULL,
  -- NULL: every app.
  app             integer REFERENCES apps,
  -- scrypt; NULL until a password is chosen.
  password        bytea,
  salt            bytea,
  -- Secret of the authenticator app, sealed with the master key for this row; NULL: no second factor.
  factor          bytea,
  -- The last 30-second step whose code was accepted; no earlier step is accepted again.
  factor_step     bigint NOT NULL DEFAULT 0,
  -- A secret that is being set up: it becomes `factor` with its first correct code.
  new_factor      bytea,
  -- Hash of the identity provider's issuer and subject; NULL: the account signs in with a password.
  subject         bytea,
  created_at      timestamptz NOT NULL DEFAULT now(),
  disabled_at     timestamptz,
  CONSTRAINT accounts_login_is_unique UNIQUE (login),
  CONSTRAINT accounts_subject_is_unique UNIQUE (subject),
  CONSTRAINT accounts_subject_has_no_password CHECK (subject IS NULL OR password IS NULL),
  CONSTRAINT accounts_role_is_known CHECK (role IN ('sender', 'operator', 'viewer', 'admin')),
  CONSTRAINT accounts_password_is_salted CHECK ((password IS NULL) = (salt IS NULL))
);

-- Who could have signed in to an account: its creator, and holders of a link that opens it. It keeps people from acting
-- as their own second person.
CREATE TABLE account_holders (
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- A person, in the form of `messages.asked_by`.
  holder          text COLLATE "C" NOT NULL,
  at              timestamptz NOT NULL,
  -- True: created the account; false: only held a link.
  made            boolean NOT NULL
);

CREATE INDEX account_holders_by_account ON account_holders (account);

-- Recovery codes for a lost authenticator app; each works once. Only hashes of 80 random bits.
CREATE TABLE recovery_codes (
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  sha256          bytea NOT NULL,
  PRIMARY KEY (account, sha256)
);

-- Only hashes: reading this table does not allow signing in.
CREATE TABLE sessions (
  sha256          bytea PRIMARY KEY,
  -- Names the session in lists.
  session         bigint GENERATED ALWAYS AS IDENTITY,
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at      timestamptz NOT NULL,
  -- Last use, to the minute.
  used_at         timestamptz NOT NULL,
  -- Extended while the session is used, never beyond `ends_at`.
  idle_until      timestamptz NOT NULL,
  ends_at         timestamptz NOT NULL,
  origin          text NOT NULL,
  -- How it began. A session opened by a link may choose a password without knowing the current one.
  method          text COLLATE "C" NOT NULL,
  CONSTRAINT sessions_session_is_unique UNIQUE (session),
  CONSTRAINT sessions_method_is_known CHECK (method IN ('password', 'link', 'openid'))
);

CREATE INDEX sessions_by_account ON sessions (account);
CREATE INDEX sessions_by_end ON sessions (ends_at);

CREATE TABLE sign_in_links (
  sha256          bytea PRIMARY KEY,
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  ends_at         timestamptz NOT NULL
);

-- Failed sign-in attempts by login and by address (hashed), counted across all nodes.
CREATE TABLE sign_in_failures (
  subject         bytea PRIMARY KEY,
  failures        integer NOT NULL,
  -- The count starts over after that.
  until           timestamptz NOT NULL,
  -- Before this, the login cannot be tried from an unknown place; set for logins under attack.
  next_at         timestamptz
);

CREATE INDEX sign_in_failures_by_end ON sign_in_failures (until);

-- Places from which accounts have signed in; attempts from there are not slowed down by attacks from elsewhere. A place
-- is a hashed network.
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
  -- The key's or account's name at the time.
  actor           text NOT NULL,
  role            text NOT NULL,
  -- The client's address; empty for the command line.
  origin          text NOT NULL,
  request_id      text NOT NULL,
  action          text COLLATE "C" NOT NULL,
  -- What was changed, by the name that lists use.
  object          text NOT NULL,
  -- Without secrets.
  before          json,
  after           json
);

CREATE INDEX audit_log_by_app ON audit_log (app, entry);

-- Entries are immutable: the log can only be appended to.
CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log can only be added to' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit_log();
CREATE TRIGGER audit_log_is_never_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();

-- Some things are changed by their number, without naming the app. Whatever the way: each change has an entry in its
-- transaction, and an app that is being deleted is not changed.
CREATE FUNCTION refuse_change_of_deleted_app() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM apps WHERE app = NEW.app AND purge_after IS NOT NULL) THEN
    RAISE EXCEPTION 'an app that is being deleted is not changed'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'apps_deleted_are_not_changed';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER audit_log_has_no_change_of_deleted_app BEFORE INSERT ON audit_log FOR EACH ROW
  WHEN (NEW.app IS NOT NULL AND (NEW.action IN ('message.send', 'message.resend', 'message.resume')
    OR split_part(NEW.action, '.', 1) IN ('approval', 'audience', 'channel', 'draft', 'group', 'import', 'quarantine',
      'segment', 'sender', 'tags', 'template', 'upload', 'webhook')))
  EXECUTE FUNCTION refuse_change_of_deleted_app();

-- Who has read which list of people in which hour; the audit log gets one entry for each.
CREATE TABLE audit_readings (
  reader          text COLLATE "C" NOT NULL,
  list            text COLLATE "C" NOT NULL,
  -- 0: all apps.
  app             integer NOT NULL,
  hour            timestamptz NOT NULL,
  PRIMARY KEY (reader, list, app, hour)
);
