-- Guessing a login from many addresses must slow strangers down and not its owner, so places of sign-ins are kept; and the
-- audit log gets one entry for each reader of a list of people and hour, so readings are.
-- Locks: adds a column to sign_in_failures, without a default, in an instant. The old program works on: it neither reads nor
-- writes what is new.

-- Where accounts have signed in from: there nobody else's guessing slows their owners down. A place is a hashed network.
CREATE TABLE sign_in_places (
  account         integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
  place           bytea NOT NULL,
  seen_at         timestamptz NOT NULL,
  PRIMARY KEY (account, place)
);

-- Before this nobody from an unknown place may try the login again; for logins that are being guessed.
ALTER TABLE sign_in_failures ADD COLUMN next_at timestamptz;

-- Who has looked at which list of people in which hour: the audit log gets one entry of each.
CREATE TABLE audit_readings (
  reader          text COLLATE "C" NOT NULL,
  list            text COLLATE "C" NOT NULL,
  -- 0: all.
  app             integer NOT NULL,
  hour            timestamptz NOT NULL,
  PRIMARY KEY (reader, list, app, hour)
);
