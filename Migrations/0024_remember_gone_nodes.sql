-- Why: claims of dead nodes are looked for from what is known of nodes, not by walking over all claims: while somebody keeps
-- an old snapshot those of hours lie there, done and not removed. So a node that has gone stays known for a while, with a
-- note that it has left nothing behind.
-- Locks: nodes for a moment (a column without a rewrite).
-- The previous binary: works. It forgets a node as soon as it has left.
-- upmc:oldest-program 0011

ALTER TABLE nodes
  -- Its lease has ended, and no claim of it is left. NULL: not known.
  ADD COLUMN left_nothing_at timestamptz;
