-- Why: many erased persons are looked for at once, in one walk through the deliveries of all messages that whoever comes
-- later joins; what is under way meanwhile is remembered until it has ended. And a range of SEQNOs that was left is closed
-- by time, also where no message comes after it.
-- Locks: erasures and seqno_ranges for a moment each (columns without a rewrite).
-- The previous binary: works. It still looks for one person at a time, and forgets what is under way.
-- upmc:oldest-program 0011

ALTER TABLE erasures
  -- Somebody has seen that the person is erased: what began before then may still work for it.
  ADD COLUMN seen_at     timestamptz,
  -- All of that has ended; claims up to this one may hold the person's name. With it `upto_seqno` is final.
  ADD COLUMN upto_claim  bigint,
  -- Where it joined the walk.
  ADD COLUMN lap         integer,
  ADD COLUMN from_seqno  bigint,
  ADD COLUMN from_device uuid,
  ADD CONSTRAINT erasures_join_when_settled CHECK (lap IS NULL OR upto_claim IS NOT NULL);

-- How far the walk has come. One row: who locks it takes the next step.
CREATE TABLE erasure_walk (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT erasure_walk_is_one CHECK (is_only),
  lap             integer NOT NULL DEFAULT 1,
  seqno           bigint NOT NULL DEFAULT 0,
  device          uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
INSERT INTO erasure_walk DEFAULT VALUES;

-- Deliveries of erased persons that had not ended when the walk came by.
CREATE TABLE erasure_rests (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  looked_at       timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (seqno, device)
);

ALTER TABLE seqno_ranges
  -- When it was first seen that numbers of a later range are given.
  ADD COLUMN left_at timestamptz;
