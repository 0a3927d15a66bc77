-- Why: what is to be forgotten, removed or held back for a resend is found along indexes of its own.
-- Locks: nothing that readers or writers wait for. messages, devices and former_psids are read twice each, and each index
-- waits for transactions that are older than it.
-- The previous binary: works.
-- upmc:oldest-program 0011
-- upmc:no-transaction

-- The request is read when its message ends, and not before. Those with a badge wait longer: apart from the others.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_to_forget ON messages ((CASE WHEN request->'badge' IS NULL THEN 0 ELSE 1 END), finished_at)
  WHERE finished_at IS NOT NULL AND forgotten_at IS NULL AND request->>'dbIn' = 'false';

CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_forgotten ON messages (forgotten_at) WHERE forgotten_at IS NOT NULL AND emptied_at IS NULL;

CREATE INDEX CONCURRENTLY IF NOT EXISTS former_psids_by_end ON former_psids (ended_at);

-- Unregistered devices that still say something of somebody.
CREATE INDEX CONCURRENTLY IF NOT EXISTS devices_unregistered ON devices (registered_at) WHERE state = 2 AND device_id <> '';

-- Messages for people of an earlier one, while they still look for them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_resending ON messages (resend_of) WHERE resend_of IS NOT NULL AND finished_at IS NULL;
