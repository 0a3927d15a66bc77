-- Why: what is counted for reports, files of people on their way in, and what the janitor goes by.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Statistics --------------------------------------------------------------------------------------------------------

-- What happened in each minute, a row per writer so that writers never wait for each other. Few rows: one for each
-- combination that occurred.
CREATE TABLE statistics_minutes (
  at              timestamptz NOT NULL,
  accepted        bigint NOT NULL DEFAULT 0,
  rejected        bigint NOT NULL DEFAULT 0,
  expired         bigint NOT NULL DEFAULT 0,
  cancelled       bigint NOT NULL DEFAULT 0,
  skipped         bigint NOT NULL DEFAULT 0,
  received        bigint NOT NULL DEFAULT 0,
  read            bigint NOT NULL DEFAULT 0,
  joined          bigint NOT NULL DEFAULT 0,
  "left"          bigint NOT NULL DEFAULT 0,
  app             integer NOT NULL,
  writer          integer NOT NULL,
  -- 0: concerns no network, or it is not known.
  network         smallint NOT NULL,
  -- -1: concerns no message.
  lane            smallint NOT NULL,
  app_version     text COLLATE "C" NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, at, network, lane, app_version, reason, writer)
) WITH (fillfactor = 50);

CREATE INDEX statistics_minutes_by_time ON statistics_minutes (at);

-- The same by the hour, made from the minutes by the janitor.
CREATE TABLE statistics_hours (
  at              timestamptz NOT NULL,
  accepted        bigint NOT NULL,
  rejected        bigint NOT NULL,
  expired         bigint NOT NULL,
  cancelled       bigint NOT NULL,
  skipped         bigint NOT NULL,
  received        bigint NOT NULL,
  read            bigint NOT NULL,
  joined          bigint NOT NULL,
  "left"          bigint NOT NULL,
  app             integer NOT NULL,
  network         smallint NOT NULL,
  lane            smallint NOT NULL,
  app_version     text COLLATE "C" NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, at, network, lane, app_version, reason)
);

CREATE INDEX statistics_hours_by_time ON statistics_hours (at);

-- And by the app's day.
CREATE TABLE statistics_days (LIKE statistics_hours INCLUDING ALL);

-- How far it has been rolled up; its row is the janitors' turn.
CREATE TABLE statistics_progress (
  one_row         boolean PRIMARY KEY DEFAULT true,
  hours_upto      timestamptz NOT NULL,
  CONSTRAINT statistics_progress_is_one CHECK (one_row)
);

INSERT INTO statistics_progress (hours_upto) VALUES (date_trunc('hour', now()));

-- Imports -----------------------------------------------------------------------------------------------------------

-- Files of people that come in parts, each in one transaction with what is counted of it.
CREATE TABLE imports (
  import          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 users, 2 members of a group, 3 tags of devices
  kind            smallint NOT NULL,
  groupseq        bigint,
  -- True: a wrong line costs itself. False: one wrong line, and nobody is brought in.
  skips_errors    boolean NOT NULL,
  -- 1 UTF-8, 2 CP949; NULL until it is said, or letters beyond ASCII have come: what the first ones say holds for all of it.
  encoding        smallint,
  -- The last part that was taken, and its hash: sent again it changes nothing.
  parts           integer NOT NULL DEFAULT 0,
  part_sha256     bytea,
  -- The columns, as the first line names them; NULL until it has come.
  header          text,
  -- The beginning of a line whose end is in the next part.
  rest            bytea NOT NULL DEFAULT '',
  lines           bigint NOT NULL DEFAULT 0,
  imported        bigint NOT NULL DEFAULT 0,
  rejected        bigint NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now(),
  created_by      text NOT NULL,
  finished_at     timestamptz,
  CONSTRAINT imports_kind_is_known CHECK (kind IN (1, 2, 3)),
  CONSTRAINT imports_members_have_a_group CHECK ((kind = 2) = (groupseq IS NOT NULL)),
  CONSTRAINT imports_encoding_is_known CHECK (encoding IN (1, 2))
);

CREATE INDEX imports_by_app ON imports (app, import);

CREATE TABLE import_errors (
  import          bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  line            bigint NOT NULL,
  -- How it begins.
  text            text NOT NULL,
  error           text NOT NULL,
  PRIMARY KEY (import, line)
);

-- The good parts of an import that waits for its last one, because a wrong line would end it.
CREATE TABLE import_parts (
  import          bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  part            integer NOT NULL,
  lines           bytea NOT NULL,
  PRIMARY KEY (import, part)
);

-- The clock ---------------------------------------------------------------------------------------------------------

-- The clock of the database may jump, and come back. What goes by it and cannot be undone (what is removed when its time is
-- over, how far statistics are made) must not follow it there. So somebody remembers when it was looked at last.
CREATE TABLE clock_watch (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT clock_watch_is_one CHECK (is_only),
  -- NULL before the first look.
  seen_at         timestamptz,
  -- Since when it has gone on without a jump, and without a time in which nobody looked.
  steady_since    timestamptz NOT NULL DEFAULT '-infinity'
);

INSERT INTO clock_watch DEFAULT VALUES;
