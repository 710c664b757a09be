#!/usr/bin/env bash
# Documents and answers of the kinds that once were read wrong, by a loopback server that plays the publishers: the
# cases of the folder that is given, tried as the only feeds of an account.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
cases=$2
mkdir -p "$work" && chmod 755 "$work"
port=$(free_port)
url=http://127.0.0.1:$port
password='a good password'

GATEFOLD_DATA_DIR=$work/data GATEFOLD_PORT=$port GATEFOLD_ADMIN_PASSWORD=$password GATEFOLD_SCHEDULER=off \
  GATEFOLD_FETCH_ALLOW_PRIVATE=127.0.0.0/8,::1/128 node "$root/bin/gatefold.mjs" serve >"$work/log" 2>&1 &
service=$!
trap 'kill -0 "$service" 2>/dev/null && stop "$service" TERM || true' EXIT
wait_ready "$url" "$service" || { cat "$work/log"; exit 1; }

GATEFOLD_DIR=$root node "$cases/run.mjs" "$url" admin "$password"
