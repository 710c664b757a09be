#!/usr/bin/env bash
# The ten minutes of examples/hello-app/README.md: a service, the example app, and the two introduced
# by the commands an operator types.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
mkdir -p "$work" && chmod 755 "$work"
port=$(free_port)
url=http://127.0.0.1:$port
export GATEFOLD_DATA_DIR=$work/data
export APP_ID=hello-app APP_SECRET=not-a-secret-but-long-enough APP_PORT NEXTCLOUD_URL=$url
APP_PORT=$(free_port)

GATEFOLD_PORT=$port GATEFOLD_ADMIN_PASSWORD='a good password' \
  node "$root/bin/gatefold.mjs" serve >"$work/service.log" 2>&1 &
service=$!
node "$root/examples/hello-app/app.mjs" >"$work/app.log" 2>&1 &
app=$!
trap 'kill "$app" 2>/dev/null || true; kill -0 "$service" 2>/dev/null && stop "$service" TERM || true' EXIT
wait_ready "$url" "$service" || { cat "$work/service.log"; exit 1; }

gatefold() { node "$root/bin/gatefold.mjs" "$@"; }
sh "$root/examples/hello-app/register.sh" || { cat "$work/service.log" "$work/app.log"; exit 1; }
gatefold app_api:app:list | grep -q 'hello-app'
gatefold hello-app:greet ada --loud | tee /dev/stderr | grep -qi 'ada'
curl -fsS -u 'admin:a good password' "$url/ocs/v2.php/translation/translate?format=json" \
  -d text='land ahead' -d toLanguage=shout | tee /dev/stderr | grep -q 'LAND AHEAD'
curl -fsS -u 'admin:a good password' "$url/apps/app_api/proxy/hello-app/api/greeting"
gatefold app_api:doctor hello-app
gatefold app_api:app:unregister hello-app
if gatefold hello-app:greet ada; then
  echo 'the command outlived its app'
  exit 1
fi
