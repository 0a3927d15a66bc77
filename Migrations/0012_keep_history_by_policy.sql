-- Why: who got what is kept for a while and not for ever. Ranges of SEQNOs are begun by time, and dropped as whole
-- partitions when all their messages are long over; what was sent with `dbIn` false is forgotten after 48 hours; a person
-- who is erased is also taken out of deliveries to devices that belong to others by now.
-- Locks: seqno_ranges and messages for a moment each (columns without a rewrite). The indexes that it needs come in a
-- migration of their own, for nobody could read messages while they are built.
-- The previous binary: works. It would still record a confirmation of what is being forgotten, and fail to record one of a
-- range that is dropped, which happens a minute after a new node has closed it: end it within the day.
-- upmc:oldest-program 0011

-- Ranges ------------------------------------------------------------------------------------------------------------

ALTER TABLE seqno_ranges
  -- From then on nothing is written into it.
  ADD COLUMN closed_at timestamptz,
  -- Its partitions are gone.
  ADD COLUMN dropped_at timestamptz,
  -- What is keyed otherwise (the ledger of badges) has been looked through for its messages.
  ADD COLUMN swept_at timestamptz,
  ADD CONSTRAINT seqno_ranges_closed_before_dropped CHECK (dropped_at IS NULL OR closed_at IS NOT NULL);

-- SEQNOs whose history is not kept any more: adjacent ranges are one, so this is a range or two however old the database.
CREATE FUNCTION closed_seqnos() RETURNS int8multirange LANGUAGE sql STABLE AS $$
  SELECT coalesce(range_agg(int8range(from_seqno, upto_seqno)), '{}') FROM seqno_ranges WHERE closed_at IS NOT NULL
$$;

-- Lets the next message open a new range when the first of the present one is older than `age`; answers the number that
-- the next message gets, NULL when there was nothing to do. SEQNOs in between are left out.
CREATE FUNCTION begin_seqno_range(age interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
  low bigint;
  high bigint;
BEGIN
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  SELECT coalesce(last_value, 0) INTO last FROM pg_sequences
  WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq';
  SELECT from_seqno, upto_seqno INTO low, high FROM seqno_ranges WHERE from_seqno <= last AND last < upto_seqno;
  -- Near its end it goes over by itself; a number must never be set back, however fast others take them meanwhile.
  IF NOT FOUND OR high - last < 100000 OR NOT EXISTS (SELECT FROM seqno_ranges WHERE from_seqno = high) THEN
    RETURN NULL;
  END IF;
  IF coalesce((SELECT created_at FROM messages WHERE seqno >= low ORDER BY seqno LIMIT 1), now()) > now() - age THEN
    RETURN NULL;
  END IF;
  RETURN setval('messages_seqno_seq', high - 1) + 1;
END $$;

-- Drops one table's part of a closed range, all or nothing; answers whether it is gone. False: another node is at it, or
-- somebody reads the table for long (a backup), and nobody is to wait behind us.
CREATE FUNCTION drop_seqno_range(low bigint, parent text) RETURNS boolean LANGUAGE plpgsql
-- Whoever uses the table waits for so long at most; then this fails, and is tried again later.
SET lock_timeout = '100ms' AS $$
BEGIN
  IF parent NOT IN ('outcomes', 'receipts', 'reads') THEN
    RAISE EXCEPTION 'no table of deliveries: %', parent;
  END IF;
  -- A confirmation that began before the range was closed has ended by then.
  PERFORM FROM seqno_ranges WHERE from_seqno = low AND closed_at < clock_timestamp() - interval '1 minute'
    AND dropped_at IS NULL FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  IF EXISTS (
    SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'relation'
      AND l.relation IN (parent::regclass, to_regclass(format('%I', parent || '_' || low)))
      -- Another database may have tables of the same numbers.
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.granted AND l.pid <> pg_backend_pid()
      AND a.xact_start < clock_timestamp() - interval '1 second')
  THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', parent || '_' || low);
  RETURN true;
END $$;

-- Messages ----------------------------------------------------------------------------------------------------------

ALTER TABLE messages
  -- Nothing is recorded about its deliveries any more.
  ADD COLUMN forgotten_at timestamptz,
  -- Nothing about persons is left of it.
  ADD COLUMN emptied_at   timestamptz;


-- Persons -----------------------------------------------------------------------------------------------------------

-- Erased persons whose name may still stand at deliveries to devices that are no longer theirs: looked for from message to
-- message, for no index leads there.
CREATE TABLE erasures (
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  after_seqno     bigint NOT NULL DEFAULT 0,
  upto_seqno      bigint NOT NULL,
  asked_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app, user_key)
);
