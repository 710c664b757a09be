#!/usr/bin/env bash
# The real service, killed without warning: first itself, then its database under it, then both.
# Every folder whose creation was answered has to be there after the next start.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
mkdir -p "$work" && chmod 755 "$work"
port=$(free_port)
url=http://127.0.0.1:$port
api=$url/index.php/apps/news/api/v1-3
auth='admin:a good password'
acknowledged=$work/acknowledged
: >"$acknowledged"

start() {
  GATEFOLD_PORT=$port GATEFOLD_DATA_DIR=$work/data GATEFOLD_ADMIN_PASSWORD='a good password' \
    node "$root/bin/gatefold.mjs" serve >>"$work/log" 2>&1 &
  service=$!
  wait_ready "$url" "$service" || { cat "$work/log"; return 1; }
}

# Creates folders one after the other until a request fails, and notes those that were answered.
write_until_it_fails() {
  local n=0 name
  while n=$((n + 1)); name="folder-$1-$n"; curl -fsS -m 10 -o /dev/null -u "$auth" \
    -H 'Content-Type: application/json' -d "{\"name\":\"$name\"}" "$api/folders" 2>/dev/null; do
    echo "$name" >>"$acknowledged"
  done
}

# kill_while_writing ROUND PID…: kills once a few folders have been acknowledged.
kill_while_writing() {
  local round=$1 before
  shift
  before=$(wc -l <"$acknowledged")
  write_until_it_fails "$round" &
  local writer=$!
  for _ in $(seq 1 600); do
    [ "$(wc -l <"$acknowledged")" -ge $((before + 15)) ] && break
    sleep 0.02
  done
  kill -9 "$@"
  wait "$writer"
}

postmaster() { head -n 1 "$work/data/postgres/data/postmaster.pid" 2>/dev/null || head -n 1 "$(cat "$work/data/postgres/moved-to.txt")/data/postmaster.pid"; }

nothing_lost() {
  curl -fsS -u "$auth" "$api/folders" |
    node -p 'JSON.parse(require("fs").readFileSync(0)).folders.map(f => f.name).join("\n")' |
    sort >"$work/there"
  sort "$acknowledged" | comm -23 - "$work/there" >"$work/lost"
  echo "$(wc -l <"$acknowledged") acknowledged, $(wc -l <"$work/lost") lost"
  test ! -s "$work/lost"
}

start
kill_while_writing service "$service"
wait "$service" 2>/dev/null || true
start
nothing_lost

kill_while_writing database "$(postmaster)"
# The service notices by itself and starts the database again.
for _ in $(seq 1 600); do curl -fsS -o /dev/null "$url/health/ready" 2>/dev/null && break; sleep 0.1; done
nothing_lost

kill_while_writing both "$(postmaster)" "$service"
wait "$service" 2>/dev/null || true
start
nothing_lost
stop "$service" TERM

# Random signals at random moments: nothing is left running. KILLS and SEED repeat a run.
cd "$root"
node --no-warnings --import ./test/support/run-typescript.mjs test/kills-of-the-launcher.ts \
  "${KILLS:-40}" "${SEED:-$RANDOM}"

# Notices are sent once, whenever the serving process is killed. TOLD_KILLS and SEED repeat a run.
node --no-warnings --import ./test/support/run-typescript.mjs test/told-through-kills.ts \
  "${TOLD_KILLS:-9}" "${SEED:-$RANDOM}"

# Each story is marked once, whenever the serving process is killed. STORY_KILLS and SEED repeat a run.
node --no-warnings --import ./test/support/run-typescript.mjs test/stories-through-kills.ts \
  "${STORY_KILLS:-6}" "${SEED:-$RANDOM}"

# An import is done once, and undone, whenever the serving process is killed. IMPORT_KILLS and SEED repeat a run.
node --no-warnings --import ./test/support/run-typescript.mjs test/imports-through-kills.ts \
  "${IMPORT_KILLS:-4}" "${SEED:-$RANDOM}"

# Folders of groups are given and taken once, whenever the serving process is killed. GROUP_KILLS and SEED repeat a run.
node --no-warnings --import ./test/support/run-typescript.mjs test/groups-through-kills.ts \
  "${GROUP_KILLS:-5}" "${SEED:-$RANDOM}"
