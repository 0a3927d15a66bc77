-- Why: iOS starts an app's Notification Service Extension, which makes the receipt, for mutable-content alone. An app says
-- whether it has one; then its alerts carry the key.
-- Locks: apps for a moment (a column without a rewrite).
-- The previous binary: works, and sets the key where a message asks for it, as it did.
-- upmc:oldest-program 0011

ALTER TABLE apps ADD COLUMN extension boolean NOT NULL DEFAULT true;
