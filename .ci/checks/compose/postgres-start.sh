# What the official image's start script does with the variables that docker-compose.yml sets.
set -euo pipefail
PATH=/opt/server/bin:$PATH
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
# By the server alone, without a client: nothing listens until the database and its owner exist.
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  cp "$POSTGRES_PASSWORD_FILE" /tmp/password
  chmod 644 /tmp/password
  as_postgres mkdir -p -m 700 "$PGDATA"
  as_postgres initdb --pgdata "$PGDATA" --encoding UTF8 --username "$POSTGRES_USER" \
    --auth-host scram-sha-256 --auth-local trust --pwfile /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE \"$POSTGRES_DB\"" | as_postgres postgres --single -D "$PGDATA" postgres
fi
exec setpriv --reuid postgres --regid postgres --clear-groups \
  postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
