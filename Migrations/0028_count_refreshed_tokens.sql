-- Why: a device that comes with a new token, and without the key of its last registration, is a guest: how often that happened
-- to devices that had a user is counted beside what a stricter identity refuses.
-- Locks: identity_refusals for a moment (a column without a rewrite).
-- The previous binary: works, and does not count it.
-- upmc:oldest-program 0011

ALTER TABLE identity_refusals ADD COLUMN refreshed bigint NOT NULL DEFAULT 0;
