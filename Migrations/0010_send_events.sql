-- Why: advertising at night waits for the morning (consent to it is asked for separately), and has a label; a message
-- that nobody confirmed in time becomes a short message, asked for exactly once; and what happens is told to the
-- customer's own servers: signed, repeated until it is taken, and kept when it is not.
-- Locks: apps and messages for a moment each (columns without a rewrite). Everything else is new.
-- The previous binary: works. Its messages have no fallback, and it sends ads at any hour, so end it soon.

ALTER TABLE apps
  -- Ads to devices without consent for the night (`consent_night_ad`) wait from `ad_night_from` to `ad_night_to`, by the
  -- device's clock. NULL: at no hour.
  ADD COLUMN ad_night_from time DEFAULT '21:00',
  ADD COLUMN ad_night_to   time DEFAULT '08:00',
  -- What every ad begins with, and what it must say about how to refuse more of them; empty: no such rule.
  ADD COLUMN ad_label      text NOT NULL DEFAULT '(광고)',
  ADD COLUMN ad_opt_out    text NOT NULL DEFAULT '',
  ADD CONSTRAINT apps_ad_night_has_two_ends CHECK (
    (ad_night_from IS NULL) = (ad_night_to IS NULL) AND ad_night_from IS DISTINCT FROM coalesce(ad_night_to, '00:00'));

ALTER TABLE messages
  -- A short message is asked for unless it is received (1) or read (2) in time; NULL: none is.
  ADD COLUMN fallback      smallint,
  ADD CONSTRAINT messages_fallback_is_known CHECK (fallback IN (1, 2));

-- One for each person to whom a message with a fallback was sent, made in the claim's transaction. It is decided once:
-- by the receipt's transaction, or by the deadline's, whichever locks it first.
CREATE TABLE fallbacks (
  seqno           bigint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  app             integer NOT NULL,
  due_at          timestamptz NOT NULL,
  -- NULL: it waits; 1 confirmed in time, 2 a short message was asked for, 3 called off with its message.
  decision        smallint,
  decided_at      timestamptz,
  -- The first confirmation that came after the short message was asked for.
  late_at         timestamptz,
  PRIMARY KEY (seqno, user_key),
  CONSTRAINT fallbacks_decision_is_known CHECK (decision IN (1, 2, 3)),
  CONSTRAINT fallbacks_decided_at_some_time CHECK ((decision IS NULL) = (decided_at IS NULL)),
  CONSTRAINT fallbacks_only_late_when_asked CHECK (late_at IS NULL OR decision = 2)
) WITH (fillfactor = 80);

CREATE INDEX fallbacks_due ON fallbacks (due_at) WHERE decision IS NULL;

-- Where events go.
CREATE TABLE webhooks (
  webhook         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  url             text NOT NULL,
  -- What is signed with, sealed with the master key and bound to this row.
  sealed          bytea NOT NULL,
  kinds           text[] NOT NULL,
  active          boolean NOT NULL DEFAULT true,
  created_at      timestamptz NOT NULL,
  CONSTRAINT webhooks_have_kinds CHECK (cardinality(kinds) > 0)
);

CREATE INDEX webhooks_by_app ON webhooks (app);

-- What has happened: written in the transaction in which it happened.
CREATE TABLE events (
  event           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What receivers know it by. Random: a database restored from a backup must not give a number twice.
  id              uuid NOT NULL DEFAULT gen_random_uuid(),
  app             integer NOT NULL,
  event_kind      text NOT NULL,
  at              timestamptz NOT NULL,
  -- Of what happens once only: its name. NULL: it may happen again.
  subject         text COLLATE "C",
  data            json NOT NULL
);

CREATE UNIQUE INDEX events_once ON events (app, event_kind, subject) WHERE subject IS NOT NULL;
CREATE INDEX events_by_time ON events (at);

-- One for each webhook that wants an event.
CREATE TABLE event_deliveries (
  event           bigint NOT NULL,
  webhook         integer NOT NULL,
  -- 0 waits, 1 delivered, 2 given up
  state           smallint NOT NULL DEFAULT 0,
  attempts        smallint NOT NULL DEFAULT 0,
  -- Raised by each attempt: only the last one's word about it counts.
  fence           integer NOT NULL DEFAULT 0,
  -- When to try next; while it is being tried: when it is taken for lost.
  due_at          timestamptz NOT NULL,
  -- What came of the last attempt: the HTTP status, or why there was none.
  status          smallint,
  reason          text,
  ended_at        timestamptz,
  PRIMARY KEY (event, webhook),
  CONSTRAINT event_deliveries_state_is_known CHECK (state IN (0, 1, 2))
) WITH (fillfactor = 70);

CREATE INDEX event_deliveries_due ON event_deliveries (webhook, due_at, event) WHERE state = 0;
CREATE INDEX event_deliveries_ended ON event_deliveries (webhook, event) WHERE state = 2;
