-- Why: what is stored beside messages: a second person's approvals, templates and drafts, pages and media.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Approvals ---------------------------------------------------------------------------------------------------------

-- Sends that need a second person's approval, and the decisions.
CREATE TABLE approvals (
  approval        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 waiting, 2 approved, 3 rejected
  state           smallint NOT NULL DEFAULT 1,
  -- Why: 1 size, 2 together with the last hour, 3 growth
  because         smallint NOT NULL DEFAULT 1,
  -- Whether it holds an existing message (`seqno`), which contains the request: small when requested, but too large
  -- when its audience was frozen.
  held            boolean NOT NULL DEFAULT false,
  -- As requested: a send, or a resend of a message.
  request         json NOT NULL,
  request_sha256  bytea NOT NULL,
  idempotency_key text COLLATE "C",
  resend_of       bigint,
  -- The content, as in `messages`.
  sealed          bytea,
  -- As in `messages`.
  trace           bytea,
  -- NULL: too many to count at once.
  targeted        bigint,
  -- Devices of the same person's other messages within the hour.
  within_hour     bigint NOT NULL DEFAULT 0,
  unknown_entries json NOT NULL,
  -- The requesting account. 0: none, see `asked_by`.
  account         integer NOT NULL,
  -- As in `messages`; NULL: the account.
  asked_by        text COLLATE "C",
  requested_by    text NOT NULL,
  requested_at    timestamptz NOT NULL,
  -- It cannot be approved after this.
  ends_at         timestamptz NOT NULL,
  decided_by      text,
  decided_at      timestamptz,
  reason          text,
  -- The message that it became, or holds.
  seqno           bigint,
  CONSTRAINT approvals_state_is_known CHECK (state IN (1, 2, 3)),
  CONSTRAINT approvals_because_is_known CHECK (because IN (1, 2, 3)),
  CONSTRAINT approvals_approved_has_a_message CHECK (state <> 2 OR seqno IS NOT NULL),
  CONSTRAINT approvals_held_has_a_message CHECK (NOT held OR seqno IS NOT NULL),
  CONSTRAINT approvals_idempotency_key_is_unique UNIQUE (app, idempotency_key)
);

CREATE INDEX approvals_by_app ON approvals (app, approval);
CREATE INDEX approvals_held ON approvals (ends_at) WHERE held AND state = 1;
CREATE INDEX approvals_by_held_message ON approvals (seqno) WHERE held;
CREATE INDEX approvals_by_message ON approvals (seqno) WHERE state = 2;
CREATE INDEX approvals_sealed ON approvals (approval) WHERE sealed IS NOT NULL;

-- Persons who raised the limit of what may be sent alone, and the former limit, which stays theirs for a day.
CREATE TABLE approval_loosenings (
  app             integer NOT NULL REFERENCES apps,
  -- In the form of `messages.asked_by`.
  by              text COLLATE "C" NOT NULL,
  was             bigint NOT NULL,
  at              timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX approval_loosenings_by_app ON approval_loosenings (app, by);

-- Templates, pages, media --------------------------------------------------------------------------------------------

-- Messages stored without being sent: templates, drafts, and senders' defaults.
CREATE TABLE saved_messages (
  saved           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app             integer NOT NULL REFERENCES apps,
  -- 1 template, 2 draft, 3 sender
  kind            smallint NOT NULL,
  name            text NOT NULL,
  -- Only for a sender: the value of `sender` in its messages.
  sender          text COLLATE "C",
  message         json NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  -- Name of the key or account that changed it last.
  updated_by      text NOT NULL,
  CONSTRAINT saved_messages_kind_is_known CHECK (kind IN (1, 2, 3)),
  CONSTRAINT saved_messages_sender_is_named CHECK ((kind = 3) = (sender IS NOT NULL)),
  CONSTRAINT saved_messages_sender_is_unique UNIQUE (app, sender)
);

CREATE INDEX saved_messages_by_app ON saved_messages (app, kind, saved);

-- Named users to whom messages are sent for a trial. Rows, so that erasing a person erases them here too.
CREATE TABLE test_recipients (
  app             integer NOT NULL REFERENCES apps,
  -- Counted from 0 within the group.
  place           integer NOT NULL,
  group_name      text NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  PRIMARY KEY (app, group_name, user_key)
);

-- Pages and media are in the database, so that every node serves them, backups include them, and acknowledged uploads
-- are durable. The name is a secret of those who got the payload: 128 random bits.
CREATE TABLE hosted_files (
  name            text COLLATE "C" PRIMARY KEY,
  app             integer NOT NULL,
  -- What follows the name in the URL: '_ext.html', '.jpg' …
  suffix          text NOT NULL,
  type            text NOT NULL,
  bytes           bigint NOT NULL,
  -- Size of each part but the last, in bytes.
  part_bytes      integer NOT NULL,
  sha256          bytea NOT NULL,
  -- The API key that uploaded it; NULL for pages and the command line.
  api_key         integer,
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  CONSTRAINT hosted_files_have_content CHECK (bytes > 0)
);

CREATE INDEX hosted_files_by_expiry ON hosted_files (expires_at);
-- For lists: pages, of which there may be many, are not in it.
CREATE INDEX hosted_files_media ON hosted_files (app, created_at, name) WHERE left(suffix, 1) = '.';

-- The content in parts of equal size except the last, so that a range of a video is read without the rest.
CREATE TABLE hosted_parts (
  name            text COLLATE "C" NOT NULL,
  part            integer NOT NULL,
  body            bytea NOT NULL,
  PRIMARY KEY (name, part)
);

-- Media are compressed already; compressing them again would only take time.
ALTER TABLE hosted_parts ALTER COLUMN body SET STORAGE EXTERNAL;
