-- Why: devices of another push server are old customers, whenever their file came in: segments must not take them for new
-- ones, also when they have registered here since. And SEQNOs that go on behind those of another server must not be set back
-- by whoever moves them at the same time.
-- Locks: devices for a moment (a column without a rewrite).
-- The previous binary: works. It takes imported devices for new ones.
-- upmc:oldest-program 0011

-- A file brought it, so nobody knows when it registered first.
ALTER TABLE devices ADD COLUMN is_imported boolean NOT NULL DEFAULT false;

-- Lets the next message get a number higher than `behind`; answers whether it would not have anyway.
CREATE FUNCTION go_on_behind_seqno(behind bigint) RETURNS boolean LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
BEGIN
  -- Against whoever begins a range, or moves the numbers too.
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  -- Changes nothing, and holds back nextval until the end of the transaction.
  ALTER SEQUENCE messages_seqno_seq NO CYCLE;
  IF (SELECT coalesce(last_value, 0) FROM pg_sequences
      WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq') >= behind
  THEN
    RETURN false;
  END IF;
  PERFORM setval('messages_seqno_seq', behind);
  RETURN true;
END $$;
