-- Why: a provider token belongs to the private key that signed it. Under the names of team and key, which anybody may write
-- beside a key of their own, two tenants would share one. And what the push network said of a new key is kept.
-- Locks: credentials for a moment. What was stored of provider tokens, in clear, goes.
-- The previous binary: works, with tokens of its own: while both run, each mints one an hour for each key.
-- upmc:oldest-program 0011

CREATE TABLE apns_tokens (
  -- Of team, key id and public key: who has not the private key has another row.
  fingerprint     text COLLATE "C" PRIMARY KEY,
  -- With the master key, for this row.
  sealed          bytea NOT NULL,
  issued_at       timestamptz NOT NULL
);

-- The previous binary may write there again; nothing reads it any more.
DELETE FROM provider_tokens;

ALTER TABLE credentials
  -- When a server began to ask the push network whether it takes this credential, and when it knew.
  ADD COLUMN check_begun_at timestamptz,
  ADD COLUMN checked_at     timestamptz,
  -- 1 works, 2 refused, 3 nobody could be reached; and the network's own word.
  ADD COLUMN check_result   smallint
    CONSTRAINT credentials_check_result_is_known CHECK (check_result IN (1, 2, 3)),
  ADD COLUMN check_word     text;
