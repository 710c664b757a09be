#!/usr/bin/env bash
# The service on the oldest supported line of Node.js, not on the one of the lock file.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
mkdir -p "$1" && chmod 755 "$1"
npm install --prefix "$1" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "node-$(node -p 'process.platform+"-"+process.arch')@22"
node22="$1/node_modules/node-$(node -p 'process.platform+"-"+process.arch')/bin/node"
"$node22" --version | grep -q '^v22\.'

port=$(free_port)
GATEFOLD_PORT=$port GATEFOLD_DATA_DIR="$1/data" GATEFOLD_ADMIN_PASSWORD='a good password' \
  "$node22" "$root/bin/gatefold.mjs" serve >"$1/log" 2>&1 &
pid=$!
wait_ready "http://127.0.0.1:$port" "$pid" || { cat "$1/log"; exit 1; }
curl -fsS -u 'admin:a good password' "http://127.0.0.1:$port/index.php/apps/news/api/v1-3/status"
stop "$pid" TERM || { cat "$1/log"; exit 1; }
