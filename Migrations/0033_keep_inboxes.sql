-- Why: a message may stay in its persons' inboxes, to be read there when the push is long gone. What it says is kept once, and
-- for each person a narrow row: who, which message, until when, read or not. Both end by time, whatever becomes of the message,
-- its deliveries and their history. Neither is a partition of SEQNOs: their ends differ from a day to a year. A message without
-- an inbox writes and reads nothing here: what tells the one from the other is the column of its own row.
-- Locks: messages for a moment (columns without a rewrite).
-- The previous binary: works. What it claims of a message with an inbox comes into nobody's, and what is read through it stays
-- unread there: update all nodes before such messages are sent.
-- upmc:oldest-program 0011

-- For how long it stays in inboxes, in seconds; NULL: it is in none.
ALTER TABLE messages ADD COLUMN inbox_seconds integer;
-- Of one that was sent again, and again: the first one, whose entries stand for all; NULL: its own.
ALTER TABLE messages ADD COLUMN inbox_of bigint;

-- What entries show: one row a message. Written with its first claim, so that nothing depends on how long messages are kept.
CREATE TABLE inbox_messages (
  seqno           bigint PRIMARY KEY,
  app             integer NOT NULL,
  sent_at         timestamptz NOT NULL,
  ends_at         timestamptz NOT NULL,
  -- yyyyMMddHH in the app's time zone, as its payload says.
  send_date       text NOT NULL,
  -- Without the persons that it named.
  request         json NOT NULL,
  -- Pages and media in place of what did not fit.
  links           json
);
CREATE INDEX inbox_messages_by_end ON inbox_messages (ends_at);

-- One for each person of its audience.
CREATE TABLE inbox_entries (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  seqno           bigint NOT NULL,
  ends_at         timestamptz NOT NULL,
  -- NULL: unread.
  read_at         timestamptz,
  -- What an uploaded file says of this person: its name, then its values; NULL: nothing.
  filled          json,
  PRIMARY KEY (app, user_key, seqno)
) WITH (fillfactor = 90);

-- The entries of a message end at about the same time, so this grows by a few bytes an entry.
CREATE INDEX inbox_entries_by_end ON inbox_entries (ends_at);
