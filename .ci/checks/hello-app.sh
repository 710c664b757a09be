#!/usr/bin/env bash
# The ten minutes of examples/hello-app/README.md: a service, the example app, and the two introduced
# by the commands an operator types; then a file and a conversation with the app in them.
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

export GATEFOLD_PORT=$port
GATEFOLD_ADMIN_PASSWORD='a good password' node "$root/bin/gatefold.mjs" serve >"$work/service.log" 2>&1 &
service=$!
node "$root/examples/hello-app/app.mjs" >"$work/app.log" 2>&1 &
app=$!
trap 'kill "$app" 2>/dev/null || true; kill -0 "$service" 2>/dev/null && stop "$service" TERM || true' EXIT
wait_ready "$url" "$service" || { cat "$work/service.log"; exit 1; }

gatefold() { node "$root/bin/gatefold.mjs" "$@"; }
sh "$root/examples/hello-app/register.sh" || { cat "$work/service.log" "$work/app.log"; exit 1; }
gatefold app_api:app:list | grep -q 'hello-app'
gatefold hello-app:greet ada --loud | tee /dev/stderr | grep -qi 'ada'
# ask METHOD PATH [curl options]: prints the answer, as JSON where there is a choice.
ask() {
  curl -fsS -u 'admin:a good password' -H 'OCS-APIRequest: true' -H 'Accept: application/json' \
    -X "$1" "$url$2" "${@:3}"
}
# heard TEXT: until the app has said it.
heard() {
  for _ in $(seq 1 300); do
    grep -qF "$1" "$work/app.log" && return 0
    sleep 0.1
  done
  echo "the app did not say: $1"
  cat "$work/app.log" "$work/service.log"
  return 1
}
# field EXPRESSION: a part of the JSON that comes in.
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }

ask POST /ocs/v2.php/translation/translate -d text='land ahead' -d toLanguage=shout \
  | tee /dev/stderr | grep -q 'LAND AHEAD'
ask GET /apps/app_api/proxy/hello-app/api/greeting

# A file: the app hears of it, its action is offered for it, and leads to the app's page.
ask PUT /remote.php/dav/files/admin/tide.txt -d 'the tide is late'
heard 'admin: NodeWrittenEvent tide.txt'
file_id=$(ask PROPFIND /remote.php/dav/files/admin/tide.txt -H 'Depth: 0' \
  -d '<propfind xmlns="DAV:"><prop><fileid xmlns="http://owncloud.org/ns"/></prop></propfind>' \
  | sed -n 's/.*fileid>\([0-9][0-9]*\)<.*/\1/p')
actions=/ocs/v2.php/apps/app_api/api/v1/files-actions
ask GET "$actions?fileIds=$file_id" | tee /dev/stderr | grep -q '"describe"'
ask POST "$actions/hello-app/describe" -d "fileIds=$file_id" | field .ocs.data.redirect \
  | tee /dev/stderr | grep -qE "/embedded/hello-app/hello/files\?fileIds=$file_id$"
heard 'hello to tide.txt (16 bytes, 4 words)'

# A conversation: a moderator lets the bot in, which answers and waves.
chat=/ocs/v2.php/apps/spreed/api
token=$(ask POST "$chat/v4/room" -d roomType=2 -d roomName=Harbour | field .ocs.data.token)
bot=$(ask GET "$chat/v1/bot/$token" | field '.ocs.data[0].id')
ask POST "$chat/v1/bot/$token/$bot" >/dev/null
ask POST "$chat/v1/chat/$token" -d message='Hello!' >/dev/null
heard 'bot: Hello, admin!'
ask GET "$chat/v1/chat/$token" | tee /dev/stderr | grep -q 'Hello, admin!'
gatefold app_api:doctor hello-app
gatefold app_api:app:unregister hello-app
if gatefold hello-app:greet ada; then
  echo 'the command outlived its app'
  exit 1
fi
