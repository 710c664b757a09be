#!/usr/bin/env bash
# A real PgBouncer in front of the database. By transaction the service refuses to start, unless it has a
# direct address as well: then three processes start at once, migrate once and send live updates, and the
# core of the reader specs passes. By session, with fewer connections than the service may open, it says
# so, serves, and stops in time.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
mkdir -p "$work" && chmod 755 "$work"
user=$(id -un)
[ "$(id -u)" = 0 ] && user=nobody

# The embedded server of one service, reached through its socket.
first=$(free_port)
GATEFOLD_PORT=$first GATEFOLD_DATA_DIR=$work/data GATEFOLD_ADMIN_PASSWORD='a good password' \
  node "$root/bin/gatefold.mjs" serve >"$work/first.log" 2>&1 &
holder=$!
bouncer=
trap 'kill $holder $bouncer 2>/dev/null || true' EXIT
wait_ready "http://127.0.0.1:$first" "$holder" || { cat "$work/first.log"; exit 1; }
socket=$work/data/postgres/socket
[ -f "$work/data/postgres/moved-to.txt" ] && socket=$(cat "$work/data/postgres/moved-to.txt")/socket

# pool MODE: starts PgBouncer with that pool_mode and its default size.
pool() {
  local port
  port=$(free_port)
  echo '"gatefold" ""' >"$work/users.txt"
  printf '%s\n' '[databases]' "* = host=$socket user=gatefold" '[pgbouncer]' \
    'listen_addr = 127.0.0.1' "listen_port = $port" 'unix_socket_dir =' 'auth_type = trust' \
    "auth_file = $work/users.txt" "pool_mode = $1" 'default_pool_size = 20' 'max_client_conn = 400' >"$work/$1.ini"
  chmod 644 "$work/$1.ini" "$work/users.txt"
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid "$(stat -c %u "$socket")" --regid nogroup --clear-groups pgbouncer "$work/$1.ini" >"$work/$1.log" 2>&1 &
  else
    pgbouncer "$work/$1.ini" >"$work/$1.log" 2>&1 &
  fi
  bouncer=$!
  export DATABASE_URL=postgresql://gatefold@127.0.0.1:$port/gatefold
  for _ in $(seq 1 100); do
    node -e "require('net').connect($port,'127.0.0.1').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))" && return 0
    sleep 0.1
  done
  cat "$work/$1.log"
  return 1
}

pool transaction
if GATEFOLD_PORT=0 GATEFOLD_DATA_DIR=$work/data node "$root/bin/gatefold.mjs" serve >"$work/refused.log" 2>&1; then
  echo 'started behind a pooler by transaction'
  exit 1
fi
grep -q 'DATABASE_DIRECT_URL.*pool_mode = session' "$work/refused.log" || { cat "$work/refused.log"; exit 1; }

# Around the pooler, by the socket of the server.
server=postgresql://gatefold@$(sed 's#/#%2F#g' <<<"$socket")
pooler=${DATABASE_URL%/gatefold}
ports=("$(free_port)" "$(free_port)" "$(free_port)")
replicas=()
for port in "${ports[@]}"; do
  DATABASE_URL=$pooler/replicas DATABASE_DIRECT_URL=$server/replicas GATEFOLD_PORT=$port \
    GATEFOLD_DATA_DIR=$work/replicas GATEFOLD_SECRET_KEY=the-same-secret-key-of-all-replicas-0123456789 \
    GATEFOLD_ADMIN_PASSWORD='a good password' \
    node "$root/bin/gatefold.mjs" serve >"$work/replica-$port.log" 2>&1 &
  replicas+=($!)
done
trap 'kill $holder $bouncer "${replicas[@]}" 2>/dev/null || true' EXIT
for n in 0 1 2; do
  wait_ready "http://127.0.0.1:${ports[n]}" "${replicas[n]}" || { cat "$work/replica-${ports[n]}.log"; exit 1; }
done
migrated=$(grep -l 'Prepared the database' "$work"/replica-*.log | wc -l)
[ "$migrated" = 1 ] || { echo "$migrated processes migrated"; exit 1; }
api=/index.php/apps/news/api/v1-3
curl -sN --max-time 30 -u 'admin:a good password' "http://127.0.0.1:${ports[0]}$api/events" >"$work/events" &
events=$!
for n in $(seq 1 50); do
  curl -fsS -o /dev/null -u 'admin:a good password' -H 'Content-Type: application/json' -d "{\"name\":\"folder $n\"}" "http://127.0.0.1:${ports[1]}$api/folders"
  grep -q 'event: changed' "$work/events" && break
  sleep 0.1
done
grep -q 'event: changed' "$work/events" || { echo 'no live update arrived'; cat "$work/events"; exit 1; }
kill "$events"
for replica in "${replicas[@]}"; do stop "$replica" TERM; done

(cd "$root" && TEST_DATABASE_URL=$server/postgres TEST_DATABASE_POOLER=$pooler DATABASE_URL='' \
  npm test -- test/news/items.spec.ts test/news/folders.spec.ts test/news/streams.spec.ts) \
  >"$work/specs.log" 2>&1 || { tail -n 100 "$work/specs.log"; exit 1; }
kill "$bouncer"

pool session
port=$(free_port)
GATEFOLD_PORT=$port GATEFOLD_DATA_DIR=$work/data node "$root/bin/gatefold.mjs" serve >"$work/session.log" 2>&1 &
service=$!
wait_ready "http://127.0.0.1:$port" "$service" || { cat "$work/session.log"; exit 1; }
grep -q 'Only .* of the 21 connections' "$work/session.log" || { cat "$work/session.log"; exit 1; }
curl -fsS -u 'admin:a good password' "http://127.0.0.1:$port/index.php/apps/news/api/v1-3/folders"
started=$SECONDS
stop "$service" TERM || { cat "$work/session.log"; exit 1; }
[ $((SECONDS - started)) -le 15 ] || { echo "SIGTERM took $((SECONDS - started)) s"; cat "$work/session.log"; exit 1; }
