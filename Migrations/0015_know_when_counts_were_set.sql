-- Why: a message that ends negative takes back what it added to a user's count, and only while that is still in the
-- count: once the count was set to a value, what was added before is gone.
-- Locks: users and badge_ledger for a moment each (columns without a rewrite).
-- The previous binary: works; the sets that it makes are not known as such, so it may take back too much, as ever.
-- upmc:oldest-program 0011

ALTER TABLE users
  -- Grows with each set, to a SEQNO that nobody had got then or a higher one: what messages with a higher SEQNO added was
  -- added afterwards. NULL: never set. 0, in rows from before this column: nobody noted it.
  ADD COLUMN set_seqno bigint DEFAULT 0;
ALTER TABLE users ALTER COLUMN set_seqno DROP DEFAULT;

ALTER TABLE badge_ledger
  -- The user's set_seqno when the increment was added, where that is not below the message's own SEQNO: a message older
  -- than the set whose increment is younger.
  ADD COLUMN counted_at bigint;
