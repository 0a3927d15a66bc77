-- Why: what a delivery of a campaign costs. The devices of a claim are written once, as a block, and how each ended is a
-- byte; a row in `outcomes` has only what is out of the ordinary: what was refused, waits, or was tried again.
-- Locks: claims, shards, devices and seqno_ranges for a moment each (columns without a rewrite, a trigger).
-- The previous binary: does not know blocks, and would send what stands in them once more. End it first.

-- Blocks ------------------------------------------------------------------------------------------------------------

-- Devices of one message, in the order of their user keys; no user's devices are in two blocks of it.
CREATE TABLE blocks (
  seqno           bigint NOT NULL,
  block           integer NOT NULL,
  devices_count   smallint NOT NULL,
  -- The lowest user key in it, by which its block is found; NULL: nobody in it is known by name any more.
  first_key       text COLLATE "C",
  -- 16 bytes each.
  devices         bytea NOT NULL,
  -- Where each user key ends, 3 bytes each, high byte first, counted from the first key; then the keys. An empty one: the
  -- device's own key, of a guest, or of a person who was erased.
  user_keys       bytea NOT NULL,
  PRIMARY KEY (seqno, block)
) PARTITION BY RANGE (seqno);
-- Parts are read without the whole, and nothing in it can be compressed.
ALTER TABLE blocks ALTER devices SET STORAGE EXTERNAL, ALTER user_keys SET STORAGE EXTERNAL;
CREATE INDEX blocks_by_key ON blocks (seqno, first_key);

-- How they stand: a byte each, as `block_codes` says. The row keeps its length, so that writing an end touches no index.
CREATE TABLE block_states (
  seqno           bigint NOT NULL,
  block           integer NOT NULL,
  states          bytea NOT NULL,
  -- When those without rows ended, to the minute; NULL: none yet. What ended at another time has a row.
  ended_at        timestamptz,
  PRIMARY KEY (seqno, block)
) PARTITION BY RANGE (seqno);
ALTER TABLE block_states ALTER states SET STORAGE PLAIN;

-- What a state says: as a row in `outcomes` would. Rows are added, never changed. Below 16: the states of a block are counted in
-- their hexadecimal form, where a digit that is not 0 stands at the second place of a byte only.
CREATE TABLE block_codes (
  code            smallint PRIMARY KEY CHECK (code BETWEEN 0 AND 15),
  -- 6 with code 0: under way. NULL: the row in `outcomes` says it.
  status          smallint,
  attempts        smallint,
  reason          text COLLATE "C"
);
INSERT INTO block_codes VALUES
  (0, 6, 0, NULL), (1, 1, 1, NULL), (2, NULL, NULL, NULL), (3, 5, 0, 'gone'), (4, 5, 0, 'rebound'), (5, 5, 0, 'quarantine'),
  (6, 5, 0, 'consent'), (7, 5, 0, 'no-provider'), (8, 5, 0, 'no-token'), (9, 5, 0, 'unproved'), (10, 3, 0, 'expired');

ALTER TABLE claims
  -- The block that it is about: then it lists no devices itself.
  ADD COLUMN block         integer,
  ADD COLUMN devices_count integer,
  ALTER COLUMN devices DROP NOT NULL,
  ALTER COLUMN user_keys DROP NOT NULL,
  ADD CONSTRAINT claims_name_their_devices CHECK (block IS NULL = (devices IS NOT NULL) AND block IS NULL = (user_keys IS NOT NULL));

ALTER TABLE shards
  -- Blocks that were made of it: the number of the next one.
  ADD COLUMN blocks        integer NOT NULL DEFAULT 0;

-- Reading them ------------------------------------------------------------------------------------------------------

-- The places in a block of a user's devices.
CREATE FUNCTION block_places(count integer, devices bytea, user_keys bytea, user_key text) RETURNS SETOF integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  -- Made whole here, or each look would read them anew.
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
    -- Where it begins, counted from the first key.
    found := start + found - 2 - 3 * count;
    -- The last place whose key begins there or before: of empty keys the last one, which is the one that is not empty.
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

-- Where the key at a place ends, counted from the first key; 0 before the first place.
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

-- Where a user stands in a message's blocks.
CREATE FUNCTION block_entries_of(of_seqno bigint, of_user text)
RETURNS TABLE (block integer, place integer, device uuid, state integer, ended_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.block, p.place, block_device(b.devices, p.place), get_byte(s.states, p.place), s.ended_at
  FROM (
    SELECT * FROM blocks WHERE seqno = of_seqno AND first_key <= of_user ORDER BY first_key DESC LIMIT 1) b
  JOIN block_states s ON s.seqno = of_seqno AND s.block = b.block
  CROSS JOIN LATERAL block_places(b.devices_count, b.devices, b.user_keys, of_user) AS p(place)
$$;

-- What a message's blocks know of a user's deliveries: those that have ended, and those under way (status 6, without a time).
CREATE FUNCTION block_deliveries(of_seqno bigint, of_user text)
RETURNS TABLE (device uuid, status smallint, attempts smallint, reason text, at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT e.device, c.status, c.attempts, c.reason, CASE WHEN c.status <> 6 THEN e.ended_at END
  FROM block_entries_of(of_seqno, of_user) e JOIN block_codes c ON c.code = e.state WHERE c.status IS NOT NULL
$$;

-- All of a block's devices with their users.
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

-- How every delivery stands, for people who ask in SQL. One message at a time: `WHERE seqno = …`.
CREATE VIEW deliveries AS
  SELECT seqno, device, user_key, status, reason, abs(attempts)::smallint AS attempts, at, due_at FROM outcomes
  UNION ALL
  SELECT b.seqno, e.device, e.user_key, c.status, c.reason, c.attempts, s.ended_at, NULL
  FROM blocks b JOIN block_states s ON s.seqno = b.seqno AND s.block = b.block
  CROSS JOIN LATERAL block_entries(b.devices_count, b.devices, b.user_keys) e
  JOIN block_codes c ON c.code = get_byte(s.states, e.place) AND c.status <> 6;

-- Who had a device before --------------------------------------------------------------------------------------------

-- A message's blocks are in the order of its users: this leads to those of a device that has changed its user since.
CREATE TABLE former_users (
  device          uuid NOT NULL,
  app             integer NOT NULL,
  user_key        text COLLATE "C" NOT NULL,
  ended_at        timestamptz NOT NULL,
  PRIMARY KEY (device, user_key)
);
CREATE INDEX former_users_by_user ON former_users (app, user_key);
CREATE INDEX former_users_by_end ON former_users (ended_at);

CREATE FUNCTION note_former_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO former_users (device, app, user_key, ended_at)
  VALUES (OLD.device, OLD.app, OLD.user_key, clock_timestamp())
  ON CONFLICT (device, user_key) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN NULL;
END $$;

-- A guest who logs in was somebody too. Who is emptied (2) is not to be remembered.
CREATE TRIGGER devices_change_users AFTER UPDATE OF user_key ON devices FOR EACH ROW
  WHEN (OLD.user_key <> NEW.user_key AND NEW.state <> 2) EXECUTE FUNCTION note_former_user();

-- The users to whom a message may have gone on a device; a guest's key follows from the device.
CREATE FUNCTION users_of_device(of_device uuid) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT user_key FROM devices WHERE device = of_device
  UNION SELECT user_key FROM former_users WHERE device = of_device
  UNION SELECT 'g' || of_device
$$;

-- How a message's blocks know a device's delivery, whosever it was then: as `block_deliveries`; NULL: not at all.
CREATE FUNCTION block_status(of_seqno bigint, of_device uuid) RETURNS smallint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.status FROM users_of_device(of_device) AS u(user_key) CROSS JOIN LATERAL block_deliveries(of_seqno, u.user_key) b
  WHERE b.device = of_device LIMIT 1
$$;

-- Partitions --------------------------------------------------------------------------------------------------------

CREATE TABLE delivery_tables (
  name            name PRIMARY KEY,
  -- Of its partitions.
  options         text NOT NULL DEFAULT ''
);
INSERT INTO delivery_tables VALUES
  ('outcomes', ''), ('receipts', ''), ('reads', ''), ('blocks', ''),
  -- Half of each page free, so that a new state stands beside the old one.
  ('block_states', 'WITH (fillfactor = 50)');

-- As before, for the tables that are named above.
CREATE OR REPLACE FUNCTION add_seqno_range(width bigint) RETURNS bigint LANGUAGE plpgsql
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

-- Made apart and then attached: in place it would need the parent for itself alone.
CREATE FUNCTION add_delivery_partition(parent delivery_tables, low bigint, high bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text := parent.name || '_' || low;
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) %s', part, parent.name, parent.options);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent.name, part, low, high);
END $$;

SELECT add_delivery_partition(t, r.from_seqno, r.upto_seqno)
FROM delivery_tables t, seqno_ranges r
WHERE t.name IN ('blocks', 'block_states') AND r.dropped_at IS NULL;

CREATE OR REPLACE FUNCTION drop_seqno_range(low bigint, parent text) RETURNS boolean LANGUAGE plpgsql
-- Whoever uses the table waits for so long at most; then this fails, and is tried again later.
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
