-- Why: a standby that is promoted may not have had the primary's last moments. Numbers that were given there would be given
-- again, and devices drop a message whose number they have seen. So after a promotion, as after a restore, numbers go on far
-- ahead, before the first of them is given.
-- Locks: messages against writing, for a moment (a trigger).
-- The previous binary: works. Its single sends get their numbers without this look: update all nodes before a failover.
-- upmc:oldest-program 0011

-- The timeline on which numbers are given: PostgreSQL begins another one with each promotion.
CREATE TABLE seqno_timeline (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT seqno_timeline_is_one CHECK (is_only),
  timeline        integer NOT NULL,
  changed_at      timestamptz,
  -- The last number that was known, and the one after which they went on.
  from_seqno      bigint,
  upto_seqno      bigint
);

CREATE FUNCTION present_timeline() RETURNS integer LANGUAGE sql AS $$
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
$$;

INSERT INTO seqno_timeline (timeline) SELECT present_timeline();

-- Lets numbers go on half a million ahead when the timeline is another one: more than is sent in the time that a standby
-- that is of use lags behind.
CREATE FUNCTION follow_timeline() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  present integer := present_timeline();
  last bigint;
BEGIN
  IF EXISTS (SELECT FROM seqno_timeline WHERE timeline = present) THEN RETURN; END IF;
  -- Whoever comes at the same moment waits here, and finds it done.
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
