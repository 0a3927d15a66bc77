-- Why: a device whose token its push network refuses is put aside, can be looked at and given back, instead of being
-- dropped; what a network taught us about a token's environment outlives a registration that says otherwise; and the
-- circuit breaker must know when an app was last resumed.
-- Locks: ALTER TABLE takes devices and apps for a moment (no rewrite, nothing is read). CREATE INDEX reads devices once
-- and holds its writers back meanwhile: about a second for each million devices.
-- The previous binary: works; it sends to devices that are put aside as it always did.

ALTER TABLE devices
  -- Since when the device is put aside; NULL when it is not.
  ADD COLUMN quarantined_at timestamptz,
  -- In the network's own word.
  ADD COLUMN quarantine_reason text,
  -- The message whose delivery was refused.
  ADD COLUMN quarantine_seqno bigint,
  -- True when the network told us the environment; kept as long as the token is the same.
  ADD COLUMN environment_is_learned boolean NOT NULL DEFAULT false,
  -- Not valid for old rows without a look at them: they are all NULL.
  ADD CONSTRAINT devices_quarantine_is_whole
    CHECK ((quarantined_at IS NULL) = (quarantine_reason IS NULL)) NOT VALID;

CREATE INDEX devices_in_quarantine ON devices (app, device) WHERE quarantined_at IS NOT NULL;

ALTER TABLE apps
  -- When its last pause ended: answers from before it no longer count for the circuit breaker.
  ADD COLUMN resumed_at timestamptz;
