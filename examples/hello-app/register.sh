#!/bin/sh
# Registers and enables the example app at a running service. The app must be running.
set -eu
cd "$(dirname "$0")/../.."

: "${APP_ID:=hello-app}" "${APP_PORT:=9030}" "${APP_VERSION:=1.0.0}"
: "${APP_SECRET:?Set the same APP_SECRET that the app was started with.}"

exec node bin/gatefold.mjs app_api:app:register "$APP_ID" --wait-finish \
  --info-xml examples/hello-app/info.xml --json-info "{
  \"version\": \"$APP_VERSION\",
  \"secret\": \"$APP_SECRET\",
  \"base_url\": \"http://127.0.0.1:$APP_PORT\"
}"
