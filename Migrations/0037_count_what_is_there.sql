-- Why: a single send has two rows of totals, and each wrote nine numbers, of which one is not 0.
-- Locks: message_totals, as long as it takes to write it anew.
-- The previous binary: adds to a number that may not be there. End it first.

ALTER TABLE message_totals
  ALTER accepted TYPE integer, ALTER rejected TYPE integer, ALTER expired TYPE integer, ALTER cancelled TYPE integer,
  ALTER skipped TYPE integer, ALTER unknown TYPE integer, ALTER resent TYPE integer, ALTER received TYPE integer,
  ALTER read TYPE integer,
  ALTER accepted DROP NOT NULL, ALTER rejected DROP NOT NULL, ALTER expired DROP NOT NULL, ALTER cancelled DROP NOT NULL,
  ALTER skipped DROP NOT NULL, ALTER unknown DROP NOT NULL, ALTER resent DROP NOT NULL, ALTER received DROP NOT NULL,
  ALTER read DROP NOT NULL,
  ALTER accepted DROP DEFAULT, ALTER rejected DROP DEFAULT, ALTER expired DROP DEFAULT, ALTER cancelled DROP DEFAULT,
  ALTER skipped DROP DEFAULT, ALTER unknown DROP DEFAULT, ALTER resent DROP DEFAULT, ALTER received DROP DEFAULT,
  ALTER read DROP DEFAULT;
ALTER TABLE message_totals
  ADD COLUMN decided integer NOT NULL GENERATED ALWAYS AS (
    coalesce(accepted, 0) + coalesce(rejected, 0) + coalesce(expired, 0) + coalesce(cancelled, 0) + coalesce(skipped, 0)) STORED,
  -- A busy row has the room of its own former versions; the many that are written once fill their pages.
  SET (fillfactor = 90);

-- Only a request with a key, or a person's, is ever compared with a later one.
ALTER TABLE messages ALTER request_sha256 DROP NOT NULL;

-- What a campaign added to counts stands with its block: a row in the ledger is for what is out of the ordinary.
ALTER TABLE blocks
  -- What each of its users was given by the message, unless the ledger has an entry with deliveries. NULL: nothing.
  ADD COLUMN increment smallint;

-- What a block says of a user's count: what the message was to add, and on how many devices. No row: nothing. A person whose
-- erasure is under way has been given nothing: what is added to whoever comes back under the name is another's.
CREATE FUNCTION block_grant(of_app integer, of_user text, of_seqno bigint) RETURNS TABLE (increment smallint, deliveries smallint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.increment, count(*)::smallint
  FROM (
    SELECT * FROM blocks WHERE seqno = of_seqno AND first_key <= of_user ORDER BY first_key DESC LIMIT 1) b
  CROSS JOIN LATERAL block_places(b.devices_count, b.devices, b.user_keys, of_user)
  WHERE b.increment IS NOT NULL
    AND NOT EXISTS (SELECT FROM erasures e WHERE e.app = of_app AND e.user_key = of_user AND of_seqno <= e.upto_seqno)
  GROUP BY b.increment
$$;

-- What a message did to a user's count, as the ledger has it or as the block says. No row: nothing.
CREATE FUNCTION badge_entry(of_app integer, of_user text, of_seqno bigint)
RETURNS TABLE (increment smallint, deliveries smallint, negatives smallint, read_option smallint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN l.deliveries > 0 OR g.increment IS NULL THEN l.increment ELSE g.increment END,
    CASE WHEN l.deliveries > 0 OR g.increment IS NULL THEN l.deliveries ELSE g.deliveries END,
    coalesce(l.negatives, 0::smallint), l.read_option
  FROM (SELECT) one
  LEFT JOIN badge_ledger l ON l.app = of_app AND l.user_key = of_user AND l.seqno = of_seqno
  LEFT JOIN LATERAL block_grant(of_app, of_user, of_seqno) g ON true
  WHERE l.seqno IS NOT NULL OR g.increment IS NOT NULL
$$;
