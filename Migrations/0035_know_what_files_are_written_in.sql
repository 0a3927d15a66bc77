-- Why: a file of people comes in parts, and may be written in CP949: what the first letters say holds for all of it.
-- Locks: imports for a moment (a column without a rewrite).
-- The previous binary: works. Lines in CP949 are wrong to it, as ever.
-- upmc:oldest-program 0011

-- 1 UTF-8, 2 CP949; NULL until it is said, or letters beyond ASCII have come.
ALTER TABLE imports ADD COLUMN encoding smallint CONSTRAINT imports_encoding_is_known CHECK (encoding IN (1, 2));
