#!/usr/bin/env bash
# The README's own commands in a clone in an empty folder, as root (where this runs as root) and
# as an ordinary user; the first start, the printed password, Ctrl-C, and a second start. "npm ci" has
# been tried by .ci/run itself: its packages are linked.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
target=$1

git clone --quiet "$root" "$target"
# What npm adds for its own scripts would hide what a stranger's shell does not have.
export PATH=$stranger_path
cd "$target"
cp -al "$root/node_modules" . 2>/dev/null || cp -a "$root/node_modules" .
rm -rf node_modules/.cache

try_start() {
  local runner=("$@") port url log pid
  port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
  url=http://127.0.0.1:$port
  log=$(mktemp)
  GATEFOLD_PORT=$port setsid "${runner[@]}" npm start >"$log" 2>&1 </dev/null &
  pid=$!
  wait_ready "$url" "$pid" || { cat "$log"; return 1; }
  if [ ! -f first-start-password ]; then
    # It is the last thing on the screen.
    for _ in $(seq 1 50); do
      grep -q 'Settings → Security' "$log" && break
      sleep 0.1
    done
    # shellcheck disable=SC2020
    sed -nE 's/.*password[^:]*: *([^ ]+).*/\1/p' "$log" | head -n 1 >first-start-password
  fi
  curl -fsS -u "admin:$(cat first-start-password)" \
    "$url/index.php/apps/news/api/v1-3/folders" | grep -q '"folders"' || { cat "$log"; return 1; }
  # Ctrl-C in a terminal reaches the whole group.
  kill -s INT -- "-$pid"
  for _ in $(seq 1 300); do
    pgrep -g "$pid" >/dev/null || break
    sleep 0.1
  done
  if pgrep -g "$pid" || curl -fsS -o /dev/null "$url/health/live" 2>/dev/null; then
    echo 'something was left running'
    cat "$log"
    return 1
  fi
  if [ -f data/postgres/data/postmaster.pid ]; then
    echo 'the database was left running'
    return 1
  fi
}

if [ "$(id -u)" = 0 ]; then
  # Not the files of packages: they are hard links, and would change their owner in the checkout, too.
  of_the_clone() { find . -path './node_modules/*' ! -type d -prune -o -exec chown -h "$1" {} +; }
  of_the_clone nobody:
  home=$(mktemp -d)
  chown nobody: "$home"
  try_start setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$home"
  # .ci/run has built as root.
  of_the_clone root:
  rm -rf data first-start-password
fi
try_start env
try_start env
