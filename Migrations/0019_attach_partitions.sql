-- Why: the next partitions are made apart and then attached. Made in place they need the parent for themselves alone, so
-- that the maker waits for the end of a backup, and everybody else waits behind the maker.
-- Locks: nothing that exists.
-- The previous binary: works. It makes partitions with `add_seqno_range`, which is mended too.
-- upmc:oldest-program 0011

-- Makes the next range of SEQNOs, `width` wide, for the three big tables; returns where it ends. Readers and writers go on
-- meanwhile, a backup included; who waits for a lock of ours waits for so long at most, and then it is tried again later.
CREATE OR REPLACE FUNCTION add_seqno_range(width bigint) RETURNS bigint LANGUAGE plpgsql
SET lock_timeout = '200ms' AS $$
DECLARE
  low bigint;
  high bigint;
  parent text;
  part text;
BEGIN
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  SELECT coalesce(max(upto_seqno), 1) INTO low FROM seqno_ranges;
  high := low + width;
  INSERT INTO seqno_ranges (from_seqno, upto_seqno) VALUES (low, high);
  FOREACH parent IN ARRAY ARRAY['outcomes', 'receipts', 'reads'] LOOP
    part := parent || '_' || low;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, part, low, high);
  END LOOP;
  RETURN high;
END $$;

-- The same, when fewer than `width` SEQNOs are left; NULL: there are enough. Of two nodes that see it together one makes
-- them, and the other one finds them made.
CREATE FUNCTION extend_seqno_ranges(width bigint) RETURNS bigint LANGUAGE plpgsql
SET lock_timeout = '200ms' AS $$
DECLARE
  last bigint;
BEGIN
  SELECT coalesce(last_value, 0) INTO last FROM pg_sequences
  WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq';
  IF (SELECT max(upto_seqno) FROM seqno_ranges) >= last + width THEN RETURN NULL; END IF;
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  -- Looked at again behind the lock.
  IF (SELECT max(upto_seqno) FROM seqno_ranges) >= last + width THEN RETURN NULL; END IF;
  RETURN add_seqno_range(width);
END $$;
