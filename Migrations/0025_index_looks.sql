-- Why: what every node looks for again and again must not read what is over: not the messages of months, and not the claims of
-- hours that PostgreSQL could not remove because somebody keeps an old snapshot.
-- Locks: nothing that readers or writers wait for. messages, claims and fallbacks are read twice each, and each index waits for
-- transactions that are older than it.
-- The previous binary: works.
-- upmc:oldest-program 0011
-- upmc:no-transaction

-- Reserved messages that are being sent or held: which of them nobody has got in time.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_begun_at_their_time ON messages (due_at)
  WHERE state IN (2, 3) AND due_at IS NOT NULL;

-- A holder's claims in the order in which they were made: a look begins behind those that are done.
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_by_holder ON claims (node, claim);

-- Short messages that were decided on, to be removed a month later.
CREATE INDEX CONCURRENTLY IF NOT EXISTS fallbacks_decided ON fallbacks (decided_at) WHERE decided_at IS NOT NULL;

DROP INDEX CONCURRENTLY IF EXISTS claims_by_node;
