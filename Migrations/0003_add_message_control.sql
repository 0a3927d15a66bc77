-- Why: control over messages on their way (pause, cancel, pace, canary, resend) and over when they go out (at a time, at
-- the devices' local time, again and again, within a window of the day).
-- Locks: messages, shards and outcomes, exclusively, for the moment that a column without default or a small index
-- takes; the index on outcomes reads them once, so on a large database this belongs into a quiet hour.
-- The previous binary: still sends, and leaves scheduled messages alone. It would send on what is being cancelled and
-- knows no pace, so end it soon.

ALTER TABLE messages
  -- When it goes (or went) out; NULL: at once. For device-local times the moment of the first zone.
  ADD COLUMN due_at       timestamptz,
  -- The wall clock's time, for messages that go out at each device's own.
  ADD COLUMN local_time   timestamp,
  -- Why it is paused or has failed, in words.
  ADD COLUMN state_reason text,
  -- Nothing is claimed any more; when what was claimed is decided, the message is cancelled.
  ADD COLUMN cancelled_at timestamptz,
  -- An earlier message whose devices this one is for, and which of them (0 failed, 1 not received, 2 not read).
  ADD COLUMN resend_of    bigint,
  ADD COLUMN resend_to    smallint,
  -- The repetition that it belongs to, and which occurrence it is, from 0.
  ADD COLUMN schedule     bigint,
  ADD COLUMN occurrence   integer,
  ADD CONSTRAINT messages_resend_says_to_whom CHECK ((resend_of IS NULL) = (resend_to IS NULL)),
  ADD CONSTRAINT messages_scheduled_when_due CHECK (state <> 0 OR due_at IS NOT NULL);

CREATE INDEX messages_due ON messages (due_at) WHERE state = 0;
CREATE UNIQUE INDEX messages_occurrence_is_unique ON messages (schedule, occurrence) WHERE schedule IS NOT NULL;

-- Deferred deliveries of one message, for its cancellation.
CREATE INDEX outcomes_deferred ON outcomes (seqno, device) WHERE status = 6;

-- What holds a message back while it is being sent: pace, canary, and the window of the day by the app's clock. No row:
-- nothing does. Locked by every claim of the message, so that all nodes together keep to it.
CREATE TABLE gates (
  seqno           bigint PRIMARY KEY,
  -- Devices a second; with a wait, devices of a portion. NULL: no pace.
  pace_devices    integer,
  -- Seconds between portions; 0: none.
  pace_wait       integer NOT NULL DEFAULT 0,
  -- Devices that may be claimed, in millionths.
  tokens          bigint NOT NULL DEFAULT 0,
  counted_at      timestamptz NOT NULL DEFAULT now(),
  -- Nothing is claimed before this.
  ready_at        timestamptz,
  -- 0 filling, 1 watching, 2 passed, 3 stopped; NULL: no canary.
  canary_phase    smallint,
  -- NULL while a share of the audience has not been counted out yet.
  canary_devices  bigint,
  canary_percent  integer,
  canary_wait     integer,
  -- Percent of rejected that stops it.
  canary_limit    integer,
  canary_claimed  bigint NOT NULL DEFAULT 0,
  canary_until    timestamptz,
  -- By the clock of the app's time zone.
  window_opens    time,
  window_closes   time,
  CONSTRAINT gates_canary_phase_is_known CHECK (canary_phase BETWEEN 0 AND 3),
  CONSTRAINT gates_pace_is_positive CHECK (pace_devices > 0 AND pace_wait >= 0)
) WITH (fillfactor = 50);

CREATE INDEX gates_watching ON gates (seqno) WHERE canary_phase = 1;

-- The groups of time zones of a message that goes out at the devices' local time: one for each moment at which some of
-- them are due.
CREATE TABLE waves (
  seqno           bigint NOT NULL,
  wave            smallint NOT NULL,
  due_at          timestamptz NOT NULL,
  -- As devices name them: several names may mean the same moment.
  zones           text[] NOT NULL,
  -- True when its shards are written.
  planned         boolean NOT NULL DEFAULT false,
  -- True when it was due: from then on its shards may be claimed.
  opened          boolean NOT NULL DEFAULT false,
  PRIMARY KEY (seqno, wave)
);

CREATE INDEX waves_closed ON waves (due_at) WHERE NOT opened;

-- 0 for messages without waves.
ALTER TABLE shards ADD COLUMN wave smallint NOT NULL DEFAULT 0;

-- Messages that are sent again and again. Exactly one occurrence is scheduled at a time, until the last.
CREATE TABLE schedules (
  schedule        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 'day', 'week' or 'month'
  unit            text NOT NULL,
  -- The first occurrence by the wall clock: of the app's zone, or (is_local) of each device.
  first_local     timestamp NOT NULL,
  is_local        boolean NOT NULL,
  last_day        date NOT NULL,
  ended_at        timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schedules_unit_is_known CHECK (unit IN ('day', 'week', 'month'))
);

-- The zone if PostgreSQL knows it, else the other: devices may send anything.
CREATE FUNCTION zone_or(zone text, other text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN other;
END $$;

-- When the window of the day opens next in a zone; NULL while it is open. A window that opens later than it closes spans
-- midnight.
CREATE FUNCTION window_opens_at(moment timestamptz, zone text, opens time, closes time) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN opens < closes AND wall::time >= opens AND wall::time < closes THEN NULL
    WHEN opens > closes AND (wall::time >= opens OR wall::time < closes) THEN NULL
    WHEN wall::time < opens THEN (wall::date + opens) AT TIME ZONE zone
    ELSE (wall::date + 1 + opens) AT TIME ZONE zone END
  FROM (SELECT moment AT TIME ZONE zone AS wall) local
$$;
