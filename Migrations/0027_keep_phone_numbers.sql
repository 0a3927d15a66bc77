-- Why: apps built with the existing SDK say their user's telephone number. It is kept for the short messages that the
-- customer's gateway sends, sealed with the master key: neither the database nor a backup shows it.
-- Locks: users for a moment (a column without a rewrite).
-- The previous binary: works, and keeps no numbers.
-- upmc:oldest-program 0011

ALTER TABLE users ADD COLUMN phone bytea;
