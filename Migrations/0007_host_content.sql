-- Why: what does not fit a payload stands on pages of our own, and pictures, sounds and films are uploaded: in the
-- database, so that every node serves them, a backup holds them, and what is answered is durable.
-- Locks: messages and psids for a moment; psids is read once for its index.
-- The previous binary: works as before, but sends messages that use pages without their addresses.

-- Addresses that stand in the payload of this message: {"ext","text","media"}. NULL: none.
ALTER TABLE messages ADD COLUMN links json;

-- Pages and media. Their name is the secret of whoever got the payload: 128 random bits.
CREATE TABLE hosted_files (
  name            text COLLATE "C" PRIMARY KEY,
  app             integer NOT NULL,
  -- What follows the name in the address: '_ext.html', '.jpg' …
  suffix          text NOT NULL,
  type            text NOT NULL,
  bytes           bigint NOT NULL,
  -- Size of each part but the last.
  part_bytes      integer NOT NULL,
  sha256          bytea NOT NULL,
  -- Who uploaded it: an API key's number; NULL for pages and the command line.
  api_key         integer,
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  CONSTRAINT hosted_files_have_content CHECK (bytes > 0)
);

CREATE INDEX hosted_files_by_expiry ON hosted_files (expires_at);

-- The content, in parts of equal size but the last: a range of a film is read without the rest of it.
CREATE TABLE hosted_parts (
  name            text COLLATE "C" NOT NULL,
  part            integer NOT NULL,
  body            bytea NOT NULL,
  PRIMARY KEY (name, part)
);

-- Media are compressed already: trying again would only take time.
ALTER TABLE hosted_parts ALTER COLUMN body SET STORAGE EXTERNAL;

-- Tokens of other kinds than the ordinary one (voip, Live Activities …) are found by their device.
CREATE INDEX IF NOT EXISTS psids_further ON psids (device, kind) WHERE kind > 1;
