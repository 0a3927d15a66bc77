-- Why: what confidential messages said is looked for when they are over, and what a person has asked for within the hour before
-- the next one.
-- Locks: nothing that readers or writers wait for. messages is read twice for each index, and each waits for transactions that
-- are older than it.
-- The previous binary: works.
-- upmc:oldest-program 0011
-- upmc:no-transaction

CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_sealed ON messages (finished_at) WHERE sealed IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS approvals_sealed ON approvals (approval) WHERE sealed IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_sealed ON events (event) WHERE sealed IS NOT NULL;

-- What a person has asked for, and sent, within the hour.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_asked ON messages (asked_by, app, asked_at) WHERE asked_by IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_asked_and_frozen ON messages (asked_by, app, frozen_at)
  WHERE asked_by IS NOT NULL;
