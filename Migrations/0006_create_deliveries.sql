-- Why: the state of each delivery: claims of those in progress, outcomes, receipts and reads, totals; and blocks, which
-- store a campaign's deliveries in a byte each.
-- Locks: nothing that exists.
-- The previous binary: there is none.

-- On their way ------------------------------------------------------------------------------------------------------

-- Node leases. Claims of a node without a lease may be taken over.
CREATE TABLE nodes (
  node            uuid PRIMARY KEY,
  alive_until     timestamptz NOT NULL,
  -- Its lease has ended, and it has no claims left; NULL: not known. A dead node stays recorded for a while, so that
  -- claims of dead nodes are found from here and not by walking over all claims: while another session holds an old
  -- snapshot, hours of finished claims cannot be removed.
  left_nothing_at timestamptz,
  -- Ids of the master keys that it knows, and of the one that it seals with.
  master_keys     bytea[],
  seals_with      bytea,
  -- What it says of itself, for operators: the name of its machine, its release, and since when it works; NULL: not
  -- yet.
  host            text,
  version         text,
  started_at      timestamptz,
  -- Its values of the settings that affect all nodes, by variable; NULL: not reported yet.
  settings        jsonb
);

-- Claimed devices whose outcomes are not all written: after a crash, exactly these are in doubt.
CREATE TABLE claims (
  claim           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seqno           bigint NOT NULL,
  node            uuid NOT NULL,
  -- Incremented whenever another node takes the claim over.
  fence           integer NOT NULL DEFAULT 0,
  -- The block that it claims; it then lists no devices of its own.
  block           integer,
  devices_count   integer,
  devices         uuid[],
  user_keys       text[],
  CONSTRAINT claims_name_their_devices CHECK (
    block IS NULL = (devices IS NOT NULL) AND block IS NULL = (user_keys IS NOT NULL))
);

-- A holder's claims in the order of creation, so that a scan starts behind those that are done.
CREATE INDEX claims_by_holder ON claims (node, claim);
CREATE INDEX claims_by_message ON claims (seqno);

-- The claim of a block, if any.
CREATE INDEX claims_by_block ON claims (seqno, block) WHERE block IS NOT NULL;

-- What became of them -----------------------------------------------------------------------------------------------

-- The only row of an ordinary delivery. A delivery in a block has a row only if something unusual happened: it was
-- refused, or retried.
CREATE TABLE outcomes (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  at              timestamptz NOT NULL,
  -- Deferred deliveries: when to retry; NULL while claimed.
  due_at          timestamptz,
  -- 1 accepted, 2 rejected, 3 expired, 4 cancelled, 5 skipped, 6 deferred
  status          smallint NOT NULL,
  -- In progress: negative when one of the tries may have arrived without our knowing.
  attempts        smallint NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  -- The network's own reason, or ours for skipped deliveries; NULL when accepted.
  reason          text,
  PRIMARY KEY (seqno, device),
  CONSTRAINT outcomes_status_is_known CHECK (status BETWEEN 1 AND 6)
) PARTITION BY RANGE (seqno);

CREATE INDEX outcomes_due ON outcomes (due_at) WHERE status = 6;
-- Deferred deliveries of one message, for its cancellation.
CREATE INDEX outcomes_deferred ON outcomes (seqno, device) WHERE status = 6;
-- And for claiming those that are due as fast as its pace allows.
CREATE INDEX outcomes_due_by_message ON outcomes (seqno, due_at) WHERE status = 6;
-- For operators who investigate failures; accepted deliveries cost nothing here.
CREATE INDEX outcomes_failed ON outcomes (seqno, device) WHERE status IN (2, 3, 5);

-- Receipts and reads of deliveries outside of blocks.
CREATE TABLE row_receipts (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  at              timestamptz NOT NULL,
  PRIMARY KEY (seqno, device)
) PARTITION BY RANGE (seqno);

CREATE TABLE row_reads (
  seqno           bigint NOT NULL,
  device          uuid NOT NULL,
  at              timestamptz NOT NULL,
  PRIMARY KEY (seqno, device)
) PARTITION BY RANGE (seqno);

-- Running totals, one row per message and writer, so that writers never wait for each other. Columns without counts are
-- NULL: most rows belong to a direct send, and are as small as what they count.
CREATE TABLE message_totals (
  seqno           bigint NOT NULL,
  writer          integer NOT NULL,
  accepted        integer,
  rejected        integer,
  expired         integer,
  cancelled       integer,
  skipped         integer,
  unknown         integer,
  resent          integer,
  received        integer,
  read            integer,
  -- The part of `targeted` that is no longer pending.
  decided         integer NOT NULL GENERATED ALWAYS AS (
    coalesce(accepted, 0) + coalesce(rejected, 0) + coalesce(expired, 0) + coalesce(cancelled, 0) + coalesce(skipped, 0)) STORED,
  PRIMARY KEY (seqno, writer)
  -- A frequently updated row reuses the space of its dead versions; the many rows written only once fill their pages.
) WITH (fillfactor = 90);

CREATE TABLE reason_totals (
  seqno           bigint NOT NULL,
  count           bigint NOT NULL,
  writer          integer NOT NULL,
  reason          text COLLATE "C" NOT NULL,
  PRIMARY KEY (seqno, reason, writer)
) WITH (fillfactor = 50);

-- Blocks ------------------------------------------------------------------------------------------------------------

-- Devices of one message in the order of their user keys, as a campaign's claim took them: they are written once, and
-- the state of each is a byte in `block_states`. No user's devices are in two blocks of a message.
CREATE TABLE blocks (
  seqno           bigint NOT NULL,
  block           integer NOT NULL,
  devices_count   smallint NOT NULL,
  -- What the message added to the count of each of its users, unless the ledger has an entry with deliveries. NULL:
  -- nothing.
  increment       smallint,
  -- The lowest user key in the block, by which it is found; NULL: no user is identified any more.
  first_key       text COLLATE "C",
  -- 16 bytes each.
  devices         bytea NOT NULL,
  -- End offset of each user key, 3 bytes each, big-endian, from the start of the keys; then the keys. An empty key is
  -- the device's own: that of a guest, or of a person who was erased.
  user_keys       bytea NOT NULL,
  PRIMARY KEY (seqno, block)
) PARTITION BY RANGE (seqno);

-- Parts are read without the whole, and the contents cannot be compressed.
ALTER TABLE blocks ALTER devices SET STORAGE EXTERNAL, ALTER user_keys SET STORAGE EXTERNAL;

CREATE INDEX blocks_by_key ON blocks (seqno, first_key);

-- The states of a block's deliveries: one byte each, see `block_codes`. The row keeps its length, so that writing an
-- outcome touches no index.
CREATE TABLE block_states (
  seqno           bigint NOT NULL,
  block           integer NOT NULL,
  states          bytea NOT NULL,
  -- When the deliveries without rows ended, to the minute: those that were accepted, and those that were never sent;
  -- NULL: none yet. A delivery that ended at another time has a row.
  accepted_at     timestamptz,
  left_out_at     timestamptz,
  PRIMARY KEY (seqno, block)
) PARTITION BY RANGE (seqno);

ALTER TABLE block_states ALTER states SET STORAGE PLAIN;

-- Deferred deliveries of blocks that have never been tried: one row for all those of a block that wait for the same
-- second and the same reason.
CREATE TABLE waits (
  seqno           bigint NOT NULL,
  due_at          timestamptz NOT NULL,
  -- When the last of them was added.
  at              timestamptz NOT NULL,
  block           integer NOT NULL,
  -- As in `outcomes`.
  reason          text COLLATE "C" NOT NULL,
  places          smallint[] NOT NULL,
  PRIMARY KEY (seqno, block, due_at, reason)
) PARTITION BY RANGE (seqno);

CREATE INDEX waits_due ON waits (due_at);

-- What a state means, in terms of a row in `outcomes`. Rows are added, never changed. Codes stay below 16: states are
-- counted in hexadecimal form, where a non-zero digit may only be the second one of a byte.
CREATE TABLE block_codes (
  code            smallint PRIMARY KEY CHECK (code BETWEEN 0 AND 15),
  -- 6: in progress, or deferred (see `waits`). NULL: see the row in `outcomes`.
  status          smallint,
  attempts        smallint,
  reason          text COLLATE "C"
);

INSERT INTO block_codes (code, status, attempts, reason) VALUES
  (0, 6, 0, NULL), (1, 1, 1, NULL), (2, NULL, NULL, NULL), (3, 5, 0, 'gone'), (4, 5, 0, 'rebound'), (5, 5, 0, 'quarantine'),
  (6, 5, 0, 'consent'), (7, 5, 0, 'no-provider'), (8, 5, 0, 'no-token'), (9, 5, 0, 'unproved'), (10, 3, 0, 'expired'),
  (11, 6, 0, NULL), (12, 4, 0, 'cancelled');

-- The lives of this database; the last one begun is the current one. A restore begins another one, which reuses block
-- numbers.
CREATE TABLE incarnations (
  incarnation     integer PRIMARY KEY,
  began_at        timestamptz NOT NULL DEFAULT now()
);

INSERT INTO incarnations (incarnation) VALUES (0);

-- Their receipts and reads ------------------------------------------------------------------------------------------

-- The log: one row per commit and message, until it is folded into `block_confirmations`. An entry has 10 bytes,
-- big-endian: the block, 4 bytes, with the highest bit set for a read; the place, 2; seconds since 1970, 4.
CREATE TABLE confirmation_log (
  seqno           bigint NOT NULL,
  id              bigint GENERATED ALWAYS AS IDENTITY,
  logged_at       timestamptz NOT NULL DEFAULT now(),
  entries         bytea NOT NULL,
  PRIMARY KEY (seqno, id)
);

ALTER TABLE confirmation_log ALTER entries SET STORAGE PLAIN;

-- Folded: which of a block's deliveries were received, or read, and when. 2 bytes per place, big-endian: 0: no;
-- otherwise minutes since `sent_at`, counted from 1. The row keeps its length, like `block_states`.
CREATE TABLE block_confirmations (
  seqno           bigint NOT NULL,
  sent_at         timestamptz NOT NULL,
  block           integer NOT NULL,
  is_read         boolean NOT NULL,
  minutes         bytea NOT NULL,
  PRIMARY KEY (seqno, block, is_read)
) PARTITION BY RANGE (seqno);

ALTER TABLE block_confirmations ALTER minutes SET STORAGE PLAIN;

-- Reading them ------------------------------------------------------------------------------------------------------

-- The end offset of the key at a place, from the start of the keys; 0 before the first place.
CREATE FUNCTION block_key_end(user_keys bytea, place integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN place < 0 THEN 0 ELSE
    get_byte(user_keys, 3 * place) * 65536 + get_byte(user_keys, 3 * place + 1) * 256 + get_byte(user_keys, 3 * place + 2)
  END
$$;

-- The device at a place.
CREATE FUNCTION block_device(devices bytea, place integer) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT encode(substring(devices FROM 16 * place + 1 FOR 16), 'hex')::uuid
$$;

-- The places of a user's devices in a block.
CREATE FUNCTION block_places(count integer, devices bytea, user_keys bytea, user_key text) RETURNS SETOF integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  -- Copied, because otherwise each access would detoast it again.
  keys bytea := user_keys || ''::bytea;
  wanted bytea;
  found integer;
  start integer := 1;
  low integer;
  high integer;
  middle integer;
BEGIN
  IF user_key ~ '^g[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    wanted := decode(replace(substr(user_key, 2), '-', ''), 'hex');
    LOOP
      found := position(wanted IN substring(devices FROM start));
      EXIT WHEN found = 0;
      found := start + found - 2;
      IF found % 16 = 0 AND block_key_end(keys, found / 16) = block_key_end(keys, found / 16 - 1) THEN
        RETURN NEXT found / 16;
      END IF;
      start := found + 2;
    END LOOP;
    RETURN;
  END IF;
  wanted := convert_to(user_key, 'UTF8');
  start := 3 * count + 1;
  LOOP
    found := position(wanted IN substring(keys FROM start));
    EXIT WHEN found = 0;
    -- Its position, from the start of the keys.
    found := start + found - 2 - 3 * count;
    -- The last place whose key begins at or before this position: after empty keys, that is the non-empty one.
    low := 0;
    high := count - 1;
    WHILE low < high LOOP
      middle := (low + high + 1) / 2;
      IF block_key_end(keys, middle - 1) <= found THEN low := middle; ELSE high := middle - 1; END IF;
    END LOOP;
    IF block_key_end(keys, low - 1) = found AND block_key_end(keys, low) = found + length(wanted) THEN
      RETURN NEXT low;
    END IF;
    start := 3 * count + found + 2;
  END LOOP;
END $$;

-- All devices of a block with their users.
CREATE FUNCTION block_entries(count integer, devices bytea, user_keys bytea)
RETURNS TABLE (place integer, device uuid, user_key text)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  ids bytea := devices || ''::bytea;
  keys bytea := user_keys || ''::bytea;
BEGIN
  RETURN QUERY
    SELECT e.n, e.id, CASE WHEN e.upto = e.start THEN 'g' || e.id
      ELSE convert_from(substring(keys FROM 3 * count + e.start + 1 FOR e.upto - e.start), 'UTF8') END
    FROM (
      SELECT n, block_device(ids, n) AS id, block_key_end(keys, n - 1) AS start, block_key_end(keys, n) AS upto
      FROM generate_series(0, count - 1) n) e;
END $$;

-- The places of a user in a message's blocks.
CREATE FUNCTION block_entries_of(of_seqno bigint, of_user text)
RETURNS TABLE (block integer, place integer, device uuid, state integer, ended_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.block, p.place, block_device(b.devices, p.place), get_byte(s.states, p.place),
    CASE get_byte(s.states, p.place) WHEN 0 THEN NULL WHEN 11 THEN NULL WHEN 1 THEN s.accepted_at ELSE s.left_out_at END
  FROM (
    SELECT * FROM blocks WHERE seqno = of_seqno AND first_key <= of_user ORDER BY first_key DESC LIMIT 1) b
  JOIN block_states s ON s.seqno = of_seqno AND s.block = b.block
  CROSS JOIN LATERAL block_places(b.devices_count, b.devices, b.user_keys, of_user) AS p(place)
$$;

-- What a message's blocks contain of a user's deliveries: ended ones, deferred ones (status 6), and those in progress
-- (status 6, without a time).
CREATE FUNCTION block_deliveries(of_seqno bigint, of_user text)
RETURNS TABLE (device uuid, status smallint, attempts smallint, reason text, at timestamptz, due_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT e.device, c.status, c.attempts, coalesce(c.reason, w.reason), coalesce(e.ended_at, w.at), w.due_at
  FROM block_entries_of(of_seqno, of_user) e JOIN block_codes c ON c.code = e.state
  LEFT JOIN LATERAL (
    SELECT w.reason, w.at, w.due_at FROM waits w
    WHERE e.state = 11 AND w.seqno = of_seqno AND w.block = e.block AND e.place = ANY(w.places) LIMIT 1) w ON true
  WHERE c.status IS NOT NULL
$$;

-- The status of a device's delivery in a message's blocks, whoever its user was then, as in `block_deliveries`; NULL:
-- it is in none.
CREATE FUNCTION block_status(of_seqno bigint, of_device uuid) RETURNS smallint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.status FROM users_of_device(of_device) AS u(user_key) CROSS JOIN LATERAL block_deliveries(of_seqno, u.user_key) b
  WHERE b.device = of_device LIMIT 1
$$;

-- A block's effect on a user's count: the increment, and the number of devices. No row: none. The count of a person
-- being erased is gone, and so is that of a guest who has logged in: reusing the key starts over.
CREATE FUNCTION block_grant(of_app integer, of_user text, of_seqno bigint)
RETURNS TABLE (increment smallint, deliveries integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.increment, count(*)::integer
  FROM (
    SELECT * FROM blocks WHERE seqno = of_seqno AND first_key <= of_user ORDER BY first_key DESC LIMIT 1) b
  CROSS JOIN LATERAL block_places(b.devices_count, b.devices, b.user_keys, of_user)
  WHERE b.increment IS NOT NULL
    AND NOT EXISTS (SELECT FROM erasures e WHERE e.app = of_app AND e.user_key = of_user AND of_seqno <= e.upto_seqno)
    -- Longer than the erasure takes, if the delivery had not ended: the block keeps the key until it has.
    AND NOT EXISTS (SELECT FROM erasure_rests r WHERE r.seqno = of_seqno AND r.app = of_app AND r.user_key = of_user)
    AND (of_user NOT LIKE 'g%' OR EXISTS (
      SELECT FROM devices d JOIN messages m ON m.seqno = of_seqno
      WHERE d.device = substr(of_user, 2)::uuid AND d.bound_at <= coalesce(m.frozen_at, m.created_at)))
  GROUP BY b.increment
$$;

-- A message's effect on a user's count, combining ledger and block. No row: none.
CREATE FUNCTION badge_entry(of_app integer, of_user text, of_seqno bigint)
RETURNS TABLE (increment smallint, deliveries integer, negatives integer, read_option smallint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN l.deliveries > 0 OR g.increment IS NULL THEN l.increment ELSE g.increment END,
    CASE WHEN l.deliveries > 0 OR g.increment IS NULL THEN l.deliveries ELSE g.deliveries END,
    coalesce(l.negatives, 0), l.read_option
  FROM (SELECT) one
  LEFT JOIN badge_ledger l ON l.app = of_app AND l.user_key = of_user AND l.seqno = of_seqno
  LEFT JOIN LATERAL block_grant(of_app, of_user, of_seqno) g ON true
  WHERE l.seqno IS NOT NULL OR g.increment IS NOT NULL
$$;

-- The log's entries of a message; of a block, or a place in it, if `beginning` holds their bytes.
CREATE FUNCTION logged_confirmations(of_seqno bigint, beginning bytea)
RETURNS TABLE (id bigint, block integer, is_read boolean, place integer, at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT l.id,
    (get_byte(e, n) & 127) * 16777216 + get_byte(e, n + 1) * 65536 + get_byte(e, n + 2) * 256 + get_byte(e, n + 3),
    get_byte(e, n) > 127, get_byte(e, n + 4) * 256 + get_byte(e, n + 5),
    to_timestamp(
      get_byte(e, n + 6)::bigint * 16777216 + get_byte(e, n + 7) * 65536 + get_byte(e, n + 8) * 256 + get_byte(e, n + 9))
  FROM (SELECT l.id, l.entries AS e FROM confirmation_log l
    WHERE l.seqno = of_seqno AND position(beginning IN l.entries) > 0) l
  CROSS JOIN generate_series(0, length(l.e) - 1, 10) n
  WHERE substring(l.e FROM n + 1 FOR length(beginning)) = beginning
$$;

-- Which places of a block (or whether one place) were received, or read, and when, folded or not. The first
-- confirmation counts.
CREATE FUNCTION block_confirmed(of_seqno bigint, of_block integer, of_place integer, of_reads boolean)
RETURNS TABLE (place integer, at timestamptz) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT ON (c.place) c.place, c.at FROM (
    SELECT 0 AS id, n AS place,
      f.sent_at + (get_byte(f.minutes, 2 * n) * 256 + get_byte(f.minutes, 2 * n + 1) - 1) * interval '1 minute' AS at
    FROM block_confirmations f
    CROSS JOIN generate_series(coalesce(of_place, 0), coalesce(of_place, length(f.minutes) / 2 - 1)) n
    WHERE f.seqno = of_seqno AND f.block = of_block AND f.is_read = of_reads
      AND substring(f.minutes FROM 2 * n + 1 FOR 2) <> '\x0000'
    UNION ALL
    -- Rounded as it will be folded.
    SELECT l.id, l.place, s.sent_at
      + least(greatest(floor(extract(epoch FROM l.at - s.sent_at) / 60), 0), 65534) * interval '1 minute'
    FROM logged_confirmations(of_seqno,
      int4send(CASE WHEN of_reads THEN -2147483648 ELSE 0 END + of_block) || coalesce(int2send(of_place::smallint), '')) l
    CROSS JOIN (SELECT greatest(created_at, due_at) AS sent_at FROM messages WHERE seqno = of_seqno) s) c
  ORDER BY c.place, c.id
$$;

-- When a delivery was received, or read; NULL: not, as far as known.
CREATE FUNCTION delivery_confirmed(of_seqno bigint, of_device uuid, of_user text, of_reads boolean) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(
    CASE WHEN of_reads THEN (SELECT at FROM row_reads WHERE seqno = of_seqno AND device = of_device)
      ELSE (SELECT at FROM row_receipts WHERE seqno = of_seqno AND device = of_device) END,
    (SELECT c.at FROM block_entries_of(of_seqno, of_user) e
     CROSS JOIN LATERAL block_confirmed(of_seqno, e.block, e.place, of_reads) c WHERE e.device = of_device LIMIT 1))
$$;

-- What the totals of a message still lack: new confirmations in the log.
CREATE FUNCTION unfolded_confirmations(of_seqno bigint) RETURNS TABLE (received bigint, read bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT count(*) FILTER (WHERE NOT l.is_read), count(*) FILTER (WHERE l.is_read)
  FROM (SELECT DISTINCT block, is_read, place FROM logged_confirmations(of_seqno, '')) l
  JOIN blocks b ON b.seqno = of_seqno AND b.block = l.block AND l.place < b.devices_count
  LEFT JOIN block_confirmations f ON f.seqno = of_seqno AND f.block = l.block AND f.is_read = l.is_read
  WHERE f.minutes IS NULL OR substring(f.minutes FROM 2 * l.place + 1 FOR 2) = '\x0000'
$$;

-- The state of every delivery, for people who use SQL. One message at a time: `WHERE seqno = …`.
CREATE VIEW deliveries AS
  SELECT seqno, device, user_key, status, reason, abs(attempts)::smallint AS attempts, at, due_at FROM outcomes
  UNION ALL
  SELECT b.seqno, e.device, e.user_key, c.status, c.reason, c.attempts,
    CASE c.code WHEN 1 THEN s.accepted_at ELSE s.left_out_at END, NULL
  FROM blocks b JOIN block_states s ON s.seqno = b.seqno AND s.block = b.block
  CROSS JOIN LATERAL block_entries(b.devices_count, b.devices, b.user_keys) e
  JOIN block_codes c ON c.code = get_byte(s.states, e.place) AND c.status <> 6
  UNION ALL
  SELECT w.seqno, e.device, e.user_key, 6::smallint, w.reason, 0::smallint, w.at, w.due_at
  FROM waits w JOIN blocks b ON b.seqno = w.seqno AND b.block = w.block
  JOIN block_states s ON s.seqno = w.seqno AND s.block = w.block
  CROSS JOIN LATERAL block_entries(b.devices_count, b.devices, b.user_keys) e
  WHERE e.place = ANY(w.places) AND get_byte(s.states, e.place) = 11;

-- Likewise receipts and reads; to the minute for those in blocks.
CREATE VIEW receipts AS
  SELECT seqno, device, at FROM row_receipts
  UNION ALL
  SELECT b.seqno, block_device(b.devices, c.place), c.at
  FROM blocks b CROSS JOIN LATERAL block_confirmed(b.seqno, b.block, NULL, false) c WHERE c.place < b.devices_count;

CREATE VIEW reads AS
  SELECT seqno, device, at FROM row_reads
  UNION ALL
  SELECT b.seqno, block_device(b.devices, c.place), c.at
  FROM blocks b CROSS JOIN LATERAL block_confirmed(b.seqno, b.block, NULL, true) c WHERE c.place < b.devices_count;
