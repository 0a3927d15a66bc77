-- Why: a message that was small when it was asked for, and is large when its audience is frozen, waits for a second person
-- then. Who asked is known of every message of a person, so that many small ones are seen together; and whose hands an
-- account came from, so that nobody is their own second person.
-- Locks: messages, accounts, api_keys and approvals for a moment.
-- The previous binary: works. What it accepts is not held, and what is held it cannot send: it sets such a message aside.
-- upmc:oldest-program 0011

-- Messages ----------------------------------------------------------------------------------------------------------

ALTER TABLE messages
  -- The person who asked: 'account 7', or 'unix kim' at the command line; NULL for programs and devices.
  ADD COLUMN asked_by     text COLLATE "C",
  -- When; of a repetition, when its first was asked for.
  ADD COLUMN asked_at     timestamptz,
  -- For how many devices a second person has let it go; NULL: nobody was asked.
  ADD COLUMN approved_for bigint,
  -- 1: it is counted before anything goes out; 2: it waits for a second person.
  ADD COLUMN held         smallint NOT NULL DEFAULT 0,
  -- Whichever program looks at it: what is held is not sent. (Older rows hold nothing.)
  ADD CONSTRAINT messages_held_are_not_sent CHECK (held = 0 OR state <> 2) NOT VALID,
  ADD CONSTRAINT messages_held_was_asked_for CHECK (held = 0 OR asked_by IS NOT NULL) NOT VALID;

-- Approvals ---------------------------------------------------------------------------------------------------------

ALTER TABLE approvals
  -- As in messages; NULL: the account.
  ADD COLUMN asked_by     text COLLATE "C",
  -- True: of a message that is there (`seqno`), and whose request stands there.
  ADD COLUMN held         boolean NOT NULL DEFAULT false,
  -- 1 its size, 2 what was sent within the hour, 3 it has grown
  ADD COLUMN because      smallint NOT NULL DEFAULT 1,
  -- Devices of other messages within the hour.
  ADD COLUMN within_hour  bigint NOT NULL DEFAULT 0,
  -- 0: nobody's, `asked_by` says who.
  DROP CONSTRAINT approvals_account_fkey,
  DROP CONSTRAINT approvals_approved_has_a_message,
  ADD CONSTRAINT approvals_approved_has_a_message CHECK (state <> 2 OR seqno IS NOT NULL),
  ADD CONSTRAINT approvals_held_has_a_message CHECK (NOT held OR seqno IS NOT NULL),
  ADD CONSTRAINT approvals_because_is_known CHECK (because IN (1, 2, 3));

CREATE INDEX approvals_held ON approvals (ends_at) WHERE held AND state = 1;
CREATE INDEX approvals_by_held_message ON approvals (seqno) WHERE held;

-- Who has let more go out without a second person, and how much it was before: for themselves it stays so for a day.
CREATE TABLE approval_loosenings (
  app             integer NOT NULL REFERENCES apps,
  -- As in messages.
  by              text COLLATE "C" NOT NULL,
  was             bigint NOT NULL,
  at              timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX approval_loosenings_by_app ON approval_loosenings (app, by);

-- Whose hands an account was in -------------------------------------------------------------------------------------

-- Whoever made an account, or a link that opens it, could have signed in there.
CREATE TABLE account_hands (
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- As in messages.
  hand            text COLLATE "C" NOT NULL,
  at              timestamptz NOT NULL,
  -- True: made the account; false: only a link.
  made            boolean NOT NULL
);

CREATE INDEX account_hands_by_account ON account_hands (account);

-- What an API key makes, its maker has made.
ALTER TABLE api_keys ADD COLUMN made_by text COLLATE "C";
