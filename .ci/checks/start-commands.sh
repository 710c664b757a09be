#!/usr/bin/env bash
# Every command that starts the service from a checkout starts it. SIGTERM to npm alone, as a
# supervisor sends it, stops what npm has started in order; the commands for development stop with
# Ctrl-C, which reaches the whole group. In a copy, since the commands build into dist.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
copy=$1
mkdir -p "$copy" && chmod 755 "$copy"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$copy")
ln -s "$root/node_modules" "$copy/node_modules"
[ -d "$root/web/dist" ] && cp -r "$root/web/dist" "$copy/web/dist"
cd "$copy"

# try alone|group COMMAND…: starts it in a session of its own, waits until it is ready, and stops it.
try() {
  local whom=$1 port url pid log
  shift
  port=$(free_port)
  url=http://127.0.0.1:$port
  log=$(mktemp)
  GATEFOLD_PORT=$port GATEFOLD_DATA_DIR=$copy/data setsid "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  wait_ready "$url" "$pid" || { echo "$*"; cat "$log"; return 1; }
  case $whom in
    alone) kill -s TERM "$pid" ;;
    group) kill -s INT -- "-$pid" ;;
  esac
  for _ in $(seq 1 150); do
    pgrep -g "$pid" >/dev/null || break
    sleep 0.1
  done
  if pgrep -g "$pid" -a || [ -f data/postgres/data/postmaster.pid ]; then
    echo "$*: something was left running"
    cat "$log"
    return 1
  fi
}

try alone npm start
try group node_modules/.bin/nest start
try group npm run dev
