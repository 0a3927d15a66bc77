-- Why: history is kept for a limited time. The tables of deliveries are partitioned by ranges of SEQNOs, which are
-- opened by number and by age, and dropped as a whole when all their messages ended long ago; and no number is assigned
-- twice.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- Ranges ------------------------------------------------------------------------------------------------------------

-- A dropped range's row stays until its messages are gone too.
CREATE TABLE seqno_ranges (
  from_seqno      bigint PRIMARY KEY,
  upto_seqno      bigint NOT NULL,
  made_at         timestamptz NOT NULL DEFAULT now(),
  -- When it was first observed that numbers of a later range are assigned.
  left_at         timestamptz,
  -- Nothing is written into it after this.
  closed_at       timestamptz,
  -- Its partitions are dropped.
  dropped_at      timestamptz,
  -- The badge ledger, which is keyed otherwise, has been swept for its messages.
  swept_at        timestamptz,
  CONSTRAINT seqno_ranges_closed_before_dropped CHECK (dropped_at IS NULL OR closed_at IS NOT NULL)
);

-- The tables with a partition for each range.
CREATE TABLE delivery_tables (
  name            name PRIMARY KEY,
  -- Storage options of its partitions.
  options         text NOT NULL DEFAULT ''
);

INSERT INTO delivery_tables (name, options) VALUES
  ('outcomes', ''), ('row_receipts', ''), ('row_reads', ''), ('blocks', ''), ('waits', ''),
  -- Half of each page stays free, so that a new version of a row fits beside the old one.
  ('block_states', 'WITH (fillfactor = 50)'), ('block_confirmations', 'WITH (fillfactor = 50)');

-- Creates a table's partition separately and then attaches it. Created in place, it would need an exclusive lock on the
-- parent: this session would wait for the end of a backup, and everyone else behind it.
CREATE FUNCTION add_delivery_partition(parent delivery_tables, low bigint, high bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text := parent.name || '_' || low;
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) %s', part, parent.name, parent.options);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent.name, part, low, high);
END $$;

-- Creates the next range of SEQNOs, `width` wide; returns its upper bound. Readers and writers continue meanwhile,
-- including a backup. The lock timeout bounds how long others may have to wait behind us; after it, retry later.
-- Serialized by the lock on the ranges, so that two nodes may call it at once.
CREATE FUNCTION add_seqno_range(width bigint) RETURNS bigint LANGUAGE plpgsql
SET lock_timeout = '200ms' AS $$
DECLARE
  low bigint;
  parent delivery_tables;
BEGIN
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  SELECT coalesce(max(upto_seqno), 1) INTO low FROM seqno_ranges;
  INSERT INTO seqno_ranges (from_seqno, upto_seqno) VALUES (low, low + width);
  FOR parent IN SELECT * FROM delivery_tables ORDER BY name LOOP
    PERFORM add_delivery_partition(parent, low, low + width);
  END LOOP;
  RETURN low + width;
END $$;

-- The same if fewer than `width` SEQNOs are left; NULL: there are enough. Of two nodes that call it at once, one
-- creates the range and the other finds it.
CREATE FUNCTION extend_seqno_ranges(width bigint) RETURNS bigint LANGUAGE plpgsql
SET lock_timeout = '200ms' AS $$
DECLARE
  last bigint;
BEGIN
  SELECT coalesce(last_value, 0) INTO last FROM pg_sequences
  WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq';
  IF (SELECT max(upto_seqno) FROM seqno_ranges) >= last + width THEN RETURN NULL; END IF;
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  -- Checked again under the lock.
  IF (SELECT max(upto_seqno) FROM seqno_ranges) >= last + width THEN RETURN NULL; END IF;
  RETURN add_seqno_range(width);
END $$;

-- Makes the next message open a new range when the current one's first message is older than `age`. Returns the number
-- that the next message gets; NULL when there was nothing to do. The SEQNOs in between are skipped.
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
  -- Near the end of the range, numbering gets there by itself. A number must never be set back, however fast others
  -- take numbers meanwhile.
  IF NOT FOUND OR high - last < 100000 OR NOT EXISTS (SELECT FROM seqno_ranges WHERE from_seqno = high) THEN
    RETURN NULL;
  END IF;
  IF coalesce((SELECT created_at FROM messages WHERE seqno >= low ORDER BY seqno LIMIT 1), now()) > now() - age THEN
    RETURN NULL;
  END IF;
  RETURN setval('messages_seqno_seq', high - 1) + 1;
END $$;

-- SEQNOs whose history is no longer kept. Adjacent ranges merge, so this is a range or two, however old the database.
CREATE FUNCTION closed_seqnos() RETURNS int8multirange LANGUAGE sql STABLE AS $$
  SELECT coalesce(range_agg(int8range(from_seqno, upto_seqno)), '{}') FROM seqno_ranges WHERE closed_at IS NOT NULL
$$;

-- Drops one table's partition of a closed range, all or nothing; returns whether it is gone. False: another node is
-- dropping it, or a long transaction reads the table (a backup), and nobody should wait behind us.
CREATE FUNCTION drop_seqno_range(low bigint, parent text) RETURNS boolean LANGUAGE plpgsql
-- Other users of the table wait no longer than this; then the function fails and is retried later.
SET lock_timeout = '100ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM delivery_tables WHERE name = parent) THEN
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
      -- Another database may have tables with the same numbers.
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.granted AND l.pid <> pg_backend_pid()
      AND a.xact_start < clock_timestamp() - interval '1 second')
  THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', parent || '_' || low);
  RETURN true;
END $$;

SELECT add_seqno_range(1000000);

-- Numbers are given once --------------------------------------------------------------------------------------------

-- A promoted standby may have missed the primary's last moments. Numbers assigned in them would be assigned again, and
-- devices drop a message whose number they have seen. So after a promotion, as after a restore, numbers skip far ahead
-- before the first is assigned.

-- The timeline on which numbers are assigned; PostgreSQL starts a new one with each promotion.
CREATE TABLE seqno_timeline (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT seqno_timeline_is_one CHECK (is_only),
  timeline        integer NOT NULL,
  changed_at      timestamptz,
  -- The last number known, and the one after which numbering continued.
  from_seqno      bigint,
  upto_seqno      bigint,
  -- The timeline on which claims are numbered.
  claims_timeline integer NOT NULL
);

CREATE FUNCTION present_timeline() RETURNS integer LANGUAGE sql AS $$
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
$$;

INSERT INTO seqno_timeline (timeline, claims_timeline) SELECT t, t FROM present_timeline() t;

-- Skips half a million numbers when the timeline has changed: more than is sent while a useful standby lags behind.
CREATE FUNCTION follow_timeline() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  present integer := present_timeline();
  last bigint;
BEGIN
  IF EXISTS (SELECT FROM seqno_timeline WHERE timeline = present) THEN RETURN; END IF;
  -- A concurrent caller waits here and then finds it done.
  PERFORM FROM seqno_timeline FOR UPDATE;
  IF EXISTS (SELECT FROM seqno_timeline WHERE timeline = present) THEN RETURN; END IF;
  SELECT greatest(
    (SELECT coalesce(last_value, 0) FROM pg_sequences
     WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq'),
    (SELECT coalesce(max(seqno), 0) FROM messages)) INTO last;
  WHILE (SELECT max(upto_seqno) FROM seqno_ranges) < last + 600000 LOOP
    PERFORM add_seqno_range(1000000);
  END LOOP;
  PERFORM setval('messages_seqno_seq', last + 500000);
  UPDATE seqno_timeline SET timeline = present, changed_at = clock_timestamp(), from_seqno = last,
    upto_seqno = last + 500000;
END $$;

CREATE FUNCTION follow_timeline_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM follow_timeline();
  RETURN NULL;
END $$;

-- Before the first row gets its number.
CREATE TRIGGER messages_follow_timeline BEFORE INSERT ON messages
  FOR EACH STATEMENT EXECUTE FUNCTION follow_timeline_first();

-- Does the same for claims: nodes still hold the claims that the standby has missed, and would end others by the same
-- numbers. Apart from messages, because a statement that claims a block is using tables of deliveries, to which no
-- partition can be added meanwhile.
CREATE FUNCTION follow_timeline_with_claims() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  present integer := present_timeline();
BEGIN
  IF EXISTS (SELECT FROM seqno_timeline WHERE claims_timeline = present) THEN RETURN NULL; END IF;
  PERFORM FROM seqno_timeline FOR UPDATE;
  IF EXISTS (SELECT FROM seqno_timeline WHERE claims_timeline = present) THEN RETURN NULL; END IF;
  PERFORM setval('claims_claim_seq', nextval('claims_claim_seq') + 500000);
  UPDATE seqno_timeline SET claims_timeline = present;
  RETURN NULL;
END $$;

CREATE TRIGGER claims_follow_timeline BEFORE INSERT ON claims
  FOR EACH STATEMENT EXECUTE FUNCTION follow_timeline_with_claims();

-- Makes the next message get a number higher than `behind`; returns false when it would have anyway. Continues the
-- SEQNOs of another server.
CREATE FUNCTION go_on_behind_seqno(behind bigint) RETURNS boolean LANGUAGE plpgsql
SET lock_timeout = '2s' AS $$
BEGIN
  -- Serializes with sessions that open a range or move the numbers.
  LOCK TABLE seqno_ranges IN EXCLUSIVE MODE;
  -- Changes nothing, but blocks nextval until the transaction ends.
  ALTER SEQUENCE messages_seqno_seq NO CYCLE;
  IF (SELECT coalesce(last_value, 0) FROM pg_sequences
      WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq') >= behind
  THEN
    RETURN false;
  END IF;
  PERFORM setval('messages_seqno_seq', behind);
  RETURN true;
END $$;
