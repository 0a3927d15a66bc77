-- Why: what is reported to the outside: SMS fallbacks for unconfirmed pushes, events for the customer's own servers,
-- and inboxes in which a message can be read long after its push.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- SMS fallbacks -----------------------------------------------------------------------------------------------------

-- One for each person to whom a message with a fallback was sent, created in the claim's transaction. It is decided
-- once: by the receipt's transaction or by the deadline's, whichever locks it first.
CREATE TABLE fallbacks (
  seqno           bigint NOT NULL,
  due_at          timestamptz NOT NULL,
  decided_at      timestamptz,
  -- The first confirmation that came after the SMS was requested.
  late_at         timestamptz,
  app             integer NOT NULL,
  -- NULL: waiting; 1 confirmed in time, 2 SMS requested, 3 called off with its message.
  decision        smallint,
  user_key        text COLLATE "C" NOT NULL,
  PRIMARY KEY (seqno, user_key),
  CONSTRAINT fallbacks_decision_is_known CHECK (decision IN (1, 2, 3)),
  CONSTRAINT fallbacks_decided_at_some_time CHECK ((decision IS NULL) = (decided_at IS NULL)),
  CONSTRAINT fallbacks_only_late_when_asked CHECK (late_at IS NULL OR decision = 2)
) WITH (fillfactor = 80);

CREATE INDEX fallbacks_due ON fallbacks (due_at) WHERE decision IS NULL;
-- Those of a person who is erased, or whose data is exported.
CREATE INDEX fallbacks_by_user ON fallbacks (app, user_key);
-- Decided fallbacks, deleted a month later.
CREATE INDEX fallbacks_decided ON fallbacks (decided_at) WHERE decided_at IS NOT NULL;

-- Events ------------------------------------------------------------------------------------------------------------

-- The customers' servers that receive events.
CREATE TABLE webhooks (
  webhook         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  url             text NOT NULL,
  -- The signing secret, sealed with the master key and bound to this row.
  sealed          bytea NOT NULL,
  -- The secret before, which signs too until it ends.
  former_sealed   bytea,
  former_ends_at  timestamptz,
  kinds           text[] NOT NULL,
  active          boolean NOT NULL DEFAULT true,
  created_at      timestamptz NOT NULL,
  CONSTRAINT webhooks_have_kinds CHECK (cardinality(kinds) > 0)
);

CREATE INDEX webhooks_by_app ON webhooks (app);

-- Events, written in the transaction in which they happen.
CREATE TABLE events (
  event           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at              timestamptz NOT NULL,
  -- The receivers' id of it. Random, because a database restored from a backup must not assign a number twice.
  id              uuid NOT NULL DEFAULT gen_random_uuid(),
  app             integer NOT NULL,
  event_kind      text NOT NULL,
  -- Deduplication key of an event that happens only once. NULL: it may happen again.
  subject         text COLLATE "C",
  data            json NOT NULL,
  -- Content of a confidential message, as in `messages`.
  sealed          bytea
);

CREATE UNIQUE INDEX events_once ON events (app, event_kind, subject) WHERE subject IS NOT NULL;
CREATE INDEX events_by_time ON events (at);
-- Finds the one that an operator repeats.
CREATE INDEX events_by_id ON events (id);
-- Events that name many persons each: deleted as soon as they are told, and searched when a person is erased.
CREATE INDEX events_of_recipients ON events (event)
  WHERE event_kind IN ('deliveries.received', 'deliveries.read', 'deliveries.failed');
-- Events that name one person: deleted when the person is erased.
CREATE INDEX events_of_person ON events (app, (data->>'clientUid'))
  WHERE event_kind IN ('sms.requested', 'token.dropped', 'device.added');
CREATE INDEX events_sealed ON events (event) WHERE sealed IS NOT NULL;

-- Erased persons whose key may still be in events that name many persons, because there were too many events to search
-- at once. The events are searched page by page, in order.
CREATE TABLE event_erasures (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The last event that was searched.
  upto_event      bigint NOT NULL,
  PRIMARY KEY (app, user_key)
);

-- One for each webhook that subscribes to an event: retried until it is accepted, and kept when it is not.
CREATE TABLE event_deliveries (
  event           bigint NOT NULL,
  -- When to try next; during an attempt: when the attempt is considered lost.
  due_at          timestamptz NOT NULL,
  ended_at        timestamptz,
  webhook         integer NOT NULL,
  -- Incremented by each attempt: only the last one's result counts.
  fence           integer NOT NULL DEFAULT 0,
  -- 0 waiting, 1 delivered, 2 given up
  state           smallint NOT NULL DEFAULT 0,
  attempts        smallint NOT NULL DEFAULT 0,
  -- Result of the last attempt: the HTTP status, or why there was none.
  status          smallint,
  reason          text,
  -- The latest attempts, oldest first: {"at","status","milliseconds","reason"} each.
  history         jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (event, webhook),
  CONSTRAINT event_deliveries_state_is_known CHECK (state IN (0, 1, 2))
) WITH (fillfactor = 70);

CREATE INDEX event_deliveries_due ON event_deliveries (webhook, due_at, event) WHERE state = 0;
CREATE INDEX event_deliveries_ended ON event_deliveries (webhook, event) WHERE state = 2;
-- For a webhook's list, and for its removal: another one may have very many.
CREATE INDEX event_deliveries_by_webhook ON event_deliveries (webhook, event);

-- Messages whose failures are told to webhooks, page by page. Written only for apps that ask.
CREATE TABLE failure_reports (
  report          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seqno           bigint NOT NULL,
  -- What failed until then was told by an earlier report; NULL: there was none.
  since           timestamptz,
  -- The message was reopened then, and what fails later is for the next report; NULL: it was not.
  upto            timestamptz,
  -- The delivery that was told last, as a list's cursor; empty at first, NULL when all are.
  place           text COLLATE "C" DEFAULT ''
);

CREATE INDEX failure_reports_waiting ON failure_reports (report) WHERE place IS NOT NULL;
CREATE INDEX failure_reports_by_message ON failure_reports (seqno);

-- Inboxes -----------------------------------------------------------------------------------------------------------

-- A message may be kept in its recipients' inboxes. Its content is stored once, with a narrow row per person: who,
-- which message, until when, read or not. Both expire by time, whatever happens to the message, its deliveries and
-- their history. Neither is partitioned by SEQNO, because their lifetimes range from an hour to a year. A message
-- without an inbox writes and reads nothing here.

-- The content of entries: one row per message. Written with its first claim, so that nothing depends on how long
-- messages are kept.
CREATE TABLE inbox_messages (
  seqno           bigint PRIMARY KEY,
  sent_at         timestamptz NOT NULL,
  ends_at         timestamptz NOT NULL,
  app             integer NOT NULL,
  -- yyyyMMddHH in the app's time zone, as in its payload.
  send_date       text NOT NULL,
  -- Without the persons that it named.
  request         json NOT NULL,
  -- Pages and media that replace what did not fit.
  links           json
);

CREATE INDEX inbox_messages_by_end ON inbox_messages (ends_at);

-- One for each person in its audience.
CREATE TABLE inbox_entries (
  seqno           bigint NOT NULL,
  ends_at         timestamptz NOT NULL,
  -- NULL: unread.
  read_at         timestamptz,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The person's values from an uploaded file: the name, then the variables; NULL: none.
  filled          json,
  PRIMARY KEY (app, user_key, seqno)
) WITH (fillfactor = 90);

-- The entries of a message expire at about the same time, so this grows by only a few bytes per entry.
CREATE INDEX inbox_entries_by_end ON inbox_entries (ends_at);
