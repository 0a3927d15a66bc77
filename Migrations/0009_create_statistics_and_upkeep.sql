-- Why: counts for reports, imports of people, and the state of the janitor's work.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Statistics --------------------------------------------------------------------------------------------------------

-- Counts per minute, a row per writer so that writers never wait for each other. Few rows: one for each combination
-- that occurred.
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
  -- 0: no network concerned, or unknown.
  network         smallint NOT NULL,
  -- -1: no message concerned.
  lane            smallint NOT NULL,
  app_version     text COLLATE "C" NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, at, network, lane, app_version, reason, writer)
) WITH (fillfactor = 50);

CREATE INDEX statistics_minutes_by_time ON statistics_minutes (at);

-- The same per hour, rolled up from the minutes by the janitor.
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

-- And per day in the app's time zone.
CREATE TABLE statistics_days (LIKE statistics_hours INCLUDING ALL);

-- How far it has been rolled up; the row's lock serializes the janitors.
CREATE TABLE statistics_progress (
  one_row         boolean PRIMARY KEY DEFAULT true,
  hours_upto      timestamptz NOT NULL,
  CONSTRAINT statistics_progress_is_one CHECK (one_row)
);

INSERT INTO statistics_progress (hours_upto) VALUES (date_trunc('hour', now()));

-- Imports -----------------------------------------------------------------------------------------------------------

-- Imports of people from files that arrive in parts; each part is one transaction together with its counts.
CREATE TABLE imports (
  import          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 users, 2 members of a group, 3 tags of devices
  kind            smallint NOT NULL,
  groupseq        bigint,
  -- True: a wrong line costs only itself. False: a single wrong line prevents the whole import.
  skips_errors    boolean NOT NULL,
  -- 1 UTF-8, 2 CP949; NULL until it is given or the first characters beyond ASCII have arrived, which decide for the
  -- whole file.
  encoding        smallint,
  -- The last accepted part, and its hash: sending it again changes nothing.
  parts           integer NOT NULL DEFAULT 0,
  part_sha256     bytea,
  -- The columns according to the first line; NULL until it has arrived.
  header          text,
  -- The beginning of a line that continues in the next part.
  rest            bytea NOT NULL DEFAULT '',
  lines           bigint NOT NULL DEFAULT 0,
  imported        bigint NOT NULL DEFAULT 0,
  rejected        bigint NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now(),
  created_by      text NOT NULL,
  -- When the last part arrived, or when the import was cancelled.
  finished_at     timestamptz,
  cancelled       boolean NOT NULL DEFAULT false,
  CONSTRAINT imports_cancelled_is_over CHECK (NOT cancelled OR finished_at IS NOT NULL),
  CONSTRAINT imports_kind_is_known CHECK (kind IN (1, 2, 3)),
  CONSTRAINT imports_members_have_a_group CHECK ((kind = 2) = (groupseq IS NOT NULL)),
  CONSTRAINT imports_encoding_is_known CHECK (encoding IN (1, 2))
);

CREATE INDEX imports_by_app ON imports (app, import);

CREATE TABLE import_errors (
  import          bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  line            bigint NOT NULL,
  -- The beginning of the line.
  text            text NOT NULL,
  error           text NOT NULL,
  PRIMARY KEY (import, line)
);

-- The valid parts of an import that takes effect only with its last part, because a wrong line would prevent it.
CREATE TABLE import_parts (
  import          bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  part            integer NOT NULL,
  lines           bytea NOT NULL,
  PRIMARY KEY (import, part)
);

-- The clock ---------------------------------------------------------------------------------------------------------

-- The database's clock may jump, and jump back. Irreversible work that depends on it (deleting what has expired,
-- rolling up statistics) must not follow. So the time of the last observation is recorded.
CREATE TABLE clock_watch (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT clock_watch_is_one CHECK (is_only),
  -- NULL before the first observation.
  seen_at         timestamptz,
  -- Since when the clock has advanced without a jump, and without a gap in the observations.
  steady_since    timestamptz NOT NULL DEFAULT '-infinity'
);

INSERT INTO clock_watch DEFAULT VALUES;
