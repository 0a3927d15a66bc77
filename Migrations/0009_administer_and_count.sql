-- Why: administration (audit log, console accounts and their sessions), lists that are read page by page, and statistics
-- by minute, hour and day.
-- Locks: messages and outcomes against writing while two small indexes are built: each reads its table once, so on a large
-- database this belongs into a quiet hour. Everything else is new and empty.
-- The previous binary: works as before; what it does is neither counted in the statistics nor written to the audit log.

-- Lists -------------------------------------------------------------------------------------------------------------

CREATE INDEX messages_by_app ON messages (app, seqno);
-- What an operator looks through when something went wrong; a delivery that was accepted costs nothing here.
CREATE INDEX outcomes_failed ON outcomes (seqno, device) WHERE status IN (2, 3, 5);

-- Audit -------------------------------------------------------------------------------------------------------------

-- Who did what, when, from where. Written in the transaction of the change itself.
CREATE TABLE audit_log (
  entry           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at              timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- One of the two, or neither for the command line.
  api_key         integer,
  account         integer,
  -- The name that key or account had then.
  actor           text NOT NULL,
  role            text NOT NULL,
  -- The address it came from; empty for the command line.
  origin          text NOT NULL,
  request_id      text NOT NULL,
  action          text COLLATE "C" NOT NULL,
  app             integer,
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

-- Console accounts --------------------------------------------------------------------------------------------------

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
  until           timestamptz NOT NULL
);

CREATE INDEX sign_in_failures_by_end ON sign_in_failures (until);

-- Statistics --------------------------------------------------------------------------------------------------------

-- What happened in each minute, a row per writer so that writers never wait for each other. Few rows: one for each
-- combination that occurred.
CREATE TABLE statistics_minutes (
  app             integer NOT NULL,
  at              timestamptz NOT NULL,
  -- 0: concerns no network, or it is not known.
  network         smallint NOT NULL,
  -- -1: concerns no message.
  lane            smallint NOT NULL,
  app_version     text COLLATE "C" NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  writer          integer NOT NULL,
  accepted        bigint NOT NULL DEFAULT 0,
  rejected        bigint NOT NULL DEFAULT 0,
  expired         bigint NOT NULL DEFAULT 0,
  cancelled       bigint NOT NULL DEFAULT 0,
  skipped         bigint NOT NULL DEFAULT 0,
  received        bigint NOT NULL DEFAULT 0,
  read            bigint NOT NULL DEFAULT 0,
  joined          bigint NOT NULL DEFAULT 0,
  "left"          bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (app, at, network, lane, app_version, reason, writer)
) WITH (fillfactor = 50);

CREATE INDEX statistics_minutes_by_time ON statistics_minutes (at);

-- The same by the hour (and, below, by the app's day), made from the minutes by the janitor.
CREATE TABLE statistics_hours (
  app             integer NOT NULL,
  at              timestamptz NOT NULL,
  network         smallint NOT NULL,
  lane            smallint NOT NULL,
  app_version     text COLLATE "C" NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  accepted        bigint NOT NULL,
  rejected        bigint NOT NULL,
  expired         bigint NOT NULL,
  cancelled       bigint NOT NULL,
  skipped         bigint NOT NULL,
  received        bigint NOT NULL,
  read            bigint NOT NULL,
  joined          bigint NOT NULL,
  "left"          bigint NOT NULL,
  PRIMARY KEY (app, at, network, lane, app_version, reason)
);

CREATE INDEX statistics_hours_by_time ON statistics_hours (at);
CREATE TABLE statistics_days (LIKE statistics_hours INCLUDING ALL);

-- How far it has been rolled up; its row is the janitors' turn.
CREATE TABLE statistics_progress (
  one_row         boolean PRIMARY KEY DEFAULT true,
  hours_upto      timestamptz NOT NULL,
  CONSTRAINT statistics_progress_is_one CHECK (one_row)
);

INSERT INTO statistics_progress (hours_upto) VALUES (date_trunc('hour', now()));
