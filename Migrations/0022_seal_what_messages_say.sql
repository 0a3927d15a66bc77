-- Why: one-time codes lay in clear in messages, approvals and events, for every role and every backup to read. What a
-- confidential message says is sealed with a key that only servers have, apart from the rest, and taken away when it is over.
-- Locks: messages, approvals, events and apps, each for a moment: columns that are empty.
-- The previous binary: works with what it wrote itself, and cannot read what is sealed: it sets such a message aside, or, where
-- that has a badge, sends the badge without the text, and it repeats one without its text. Update all nodes before anything
-- confidential is sent.
-- upmc:oldest-program 0011

ALTER TABLE apps
  -- A bit for each lane (1: urgent, 2: normal, 4: bulk) whose messages are confidential without saying so.
  ADD COLUMN confidential_lanes smallint NOT NULL DEFAULT 0,
  -- Also of sends that come through the SDK's door.
  ADD COLUMN confidential_sdk boolean NOT NULL DEFAULT false;

-- What a message says, as JSON, sealed; NULL for what is not confidential, and once it was wiped.
ALTER TABLE messages ADD COLUMN sealed bytea;
ALTER TABLE approvals ADD COLUMN sealed bytea;
ALTER TABLE events ADD COLUMN sealed bytea;
