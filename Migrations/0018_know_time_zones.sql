-- Why: a device may say any time zone, and PostgreSQL believes more than there are ("A+1:02:03"): as many made-up ones as
-- there are devices stopped the planning of every message by local time. Only zones with a name count, so a device with
-- another lives in its app's.
-- Locks: devices and waves are read once, and those with a zone that nobody knows are written.
-- The previous binary: works. It still stores what devices say.
-- upmc:oldest-program 0011

-- The names that PostgreSQL knows; a node that starts adds those that came with newer time zone data.
CREATE TABLE time_zones (
  name            text COLLATE "C" PRIMARY KEY
);
INSERT INTO time_zones SELECT name FROM pg_timezone_names ON CONFLICT DO NOTHING;

UPDATE devices SET time_zone = '' WHERE time_zone <> '' AND time_zone NOT IN (SELECT name FROM time_zones);

-- Messages under way by local time: who had a zone without a name belongs to the first wave that knows such a zone.
UPDATE waves w SET zones = zones || ''::text FROM (
  SELECT DISTINCT ON (seqno) seqno, wave FROM waves v
  WHERE NOT sweeps AND EXISTS (SELECT FROM unnest(v.zones) z WHERE z NOT IN (SELECT name FROM time_zones))
    AND NOT EXISTS (SELECT FROM waves o WHERE o.seqno = v.seqno AND '' = ANY (o.zones))
  ORDER BY seqno, opened, wave) f
WHERE w.seqno = f.seqno AND w.wave = f.wave;

-- The zone if it has a name that PostgreSQL knows, else the other: devices may send anything.
CREATE OR REPLACE FUNCTION zone_or(zone text, other text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM time_zones WHERE name = zone) THEN
    RETURN other;
  END IF;
  -- Restored beside older time zone data, one of the names may be unknown here.
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN other;
END $$;
