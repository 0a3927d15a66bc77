-- Why: what every node asks several times a second (what is to be planned, held, late, or open in a lane) must not read the
-- messages that merely wait for their time, however many those are.
-- Locks: messages against writing, while its open rows are read once; a moment, unless very many are open.
-- The previous binary: works as before.

-- What is being sent, by lane: how full it is, and what the janitor looks through.
CREATE INDEX messages_sending ON messages (lane, seqno) WHERE state IN (1, 2);
CREATE INDEX messages_unplanned ON messages (lane, seqno) WHERE state IN (1, 2, 3) AND NOT planned;
-- Paused, or being cancelled.
CREATE INDEX messages_held ON messages (seqno) WHERE state = 3;
-- Reserved ones of which nothing has been planned, by when they were due.
CREATE INDEX messages_late ON messages (due_at) WHERE state < 4 AND frozen_at IS NULL;
DROP INDEX messages_open;
