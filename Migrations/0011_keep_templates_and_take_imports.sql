-- Why: messages that are kept instead of sent (templates, drafts, senders), sends that wait for a second person, and files
-- of people on their way in.
-- Locks: apps for a moment, to add a column without a default. Everything else is new and empty.
-- The previous binary: works as before; it knows nothing of approvals, so its sends wait for nobody.

-- Saved messages ----------------------------------------------------------------------------------------------------

-- Messages that are not sent: templates, drafts, and what senders put into theirs.
CREATE TABLE saved_messages (
  saved           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 template, 2 draft, 3 sender
  kind            smallint NOT NULL,
  name            text NOT NULL,
  -- Of a sender: what its messages bear in `sender`.
  sender          text COLLATE "C",
  message         json NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  -- The name of the key or account that changed it last.
  updated_by      text NOT NULL,
  CONSTRAINT saved_messages_kind_is_known CHECK (kind IN (1, 2, 3)),
  CONSTRAINT saved_messages_sender_is_named CHECK ((kind = 3) = (sender IS NOT NULL)),
  CONSTRAINT saved_messages_sender_is_unique UNIQUE (app, sender)
);

CREATE INDEX saved_messages_by_app ON saved_messages (app, kind, saved);

-- Approvals ---------------------------------------------------------------------------------------------------------

-- What an account sends to more devices than this needs a second person; NULL: nothing does.
ALTER TABLE apps ADD COLUMN approval_above bigint
  CONSTRAINT apps_approval_above_is_in_range CHECK (approval_above BETWEEN 1 AND 1000000000);

-- Sends that wait for somebody else's consent, and what became of them.
CREATE TABLE approvals (
  approval        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 waiting, 2 approved, 3 rejected
  state           smallint NOT NULL DEFAULT 1,
  -- As it was asked for: a send, or a resend of a message.
  request         json NOT NULL,
  request_sha256  bytea NOT NULL,
  idempotency_key text COLLATE "C",
  resend_of       bigint,
  -- NULL: too many to count at once.
  targeted        bigint,
  unknown_entries json NOT NULL,
  -- Who asked: an account always, for now.
  account         integer NOT NULL REFERENCES accounts,
  requested_by    text NOT NULL,
  requested_at    timestamptz NOT NULL,
  -- After that nobody can approve it any more.
  ends_at         timestamptz NOT NULL,
  decided_by      text,
  decided_at      timestamptz,
  reason          text,
  -- The message that it became.
  seqno           bigint,
  CONSTRAINT approvals_state_is_known CHECK (state IN (1, 2, 3)),
  CONSTRAINT approvals_approved_has_a_message CHECK ((state = 2) = (seqno IS NOT NULL)),
  CONSTRAINT approvals_idempotency_key_is_unique UNIQUE (app, idempotency_key)
);

CREATE INDEX approvals_by_app ON approvals (app, approval);

-- Imports -----------------------------------------------------------------------------------------------------------

-- Files of people that come in parts, each in one transaction with what is counted of it.
CREATE TABLE imports (
  import          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 users, 2 members of a group
  kind            smallint NOT NULL,
  groupseq        bigint,
  -- True: a wrong line costs itself. False: one wrong line, and nobody is brought in.
  skips_errors    boolean NOT NULL,
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
  CONSTRAINT imports_kind_is_known CHECK (kind IN (1, 2)),
  CONSTRAINT imports_members_have_a_group CHECK ((kind = 2) = (groupseq IS NOT NULL))
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
