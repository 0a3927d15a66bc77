-- Why: the clock of the database may jump, and come back. What goes by it and cannot be undone (what is removed when its
-- time is over, how far statistics are made) must not follow it there. So somebody remembers when it was looked at last.
-- Locks: nothing that is there.
-- The previous binary: works; what it removes goes by the clock as it is.
-- upmc:oldest-program 0011

CREATE TABLE clock_watch (
  is_only         boolean PRIMARY KEY DEFAULT true CONSTRAINT clock_watch_is_one CHECK (is_only),
  -- Nil before the first look.
  seen_at         timestamptz,
  -- Since when it has gone on without a jump, and without a time in which nobody looked.
  steady_since    timestamptz NOT NULL DEFAULT '-infinity'
);

INSERT INTO clock_watch DEFAULT VALUES;
