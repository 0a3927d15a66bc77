#!/bin/sh
# What the official image's entry point does with POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB, and no more.
set -e
as_owner() { setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; }
user=${POSTGRES_USER:-postgres}
install -d -o postgres -g postgres -m 0700 "$PGDATA"
install -d -o postgres -g postgres -m 2775 /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s\n' "${POSTGRES_PASSWORD:?is required}" >"$password"
  chown postgres "$password"
  as_owner initdb -D "$PGDATA" -U "$user" --pwfile="$password" -E UTF8 --no-locale -A scram-sha-256 >/dev/null
  rm "$password"
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  # Nobody may find it before its database is there.
  as_owner pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start >/dev/null
  PGPASSWORD=$POSTGRES_PASSWORD as_owner createdb -h /var/run/postgresql -U "$user" "${POSTGRES_DB:-$user}" || true
  as_owner pg_ctl -D "$PGDATA" -w stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@" -c listen_addresses='*'
