#!/usr/bin/env bash
# What "npm run package" makes installs in an empty folder as an ordinary user, and starts with a
# program that this user cannot change, as the container image does.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
folder=$1
mkdir -p "$folder/source" "$folder/app" "$folder/data" && chmod 755 "$folder"

# In a copy, since packing writes. A check before this one has built.
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$folder/source")
ln -s "$root/node_modules" "$folder/source/node_modules"
cp -a "$root/dist" "$folder/source/dist"
cp -a "$root/web/dist" "$folder/source/web/dist"
(cd "$folder/source" && npm run --silent package -- --built "$folder")

runner=()
if [ "$(id -u)" = 0 ]; then
  chown -R nobody: "$folder/app" "$folder/data"
  runner=(setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$folder/data")
fi
export PATH=$stranger_path
cd "$folder/app"
"${runner[@]}" tar xzf "$folder"/gatefold-*.tgz --strip-components 1
for unwanted in src test .ci; do
  [ ! -e "$unwanted" ] || { echo "$unwanted does not belong into the package"; exit 1; }
done
"${runner[@]}" npm ci --omit dev --ignore-scripts --no-audit --no-fund --loglevel=error
if [ "$(id -u)" = 0 ]; then
  chown -R root: .
fi

port=$(free_port)
url=http://127.0.0.1:$port
printf 'the password of a secret\n' >"$folder/data/password"
"${runner[@]}" env GATEFOLD_PORT="$port" GATEFOLD_DATA_DIR="$folder/data" GATEFOLD_LOG_FORMAT=json \
  GATEFOLD_ADMIN_PASSWORD_FILE="$folder/data/password" \
  bin/gatefold.mjs serve >"$folder/log" 2>&1 </dev/null &
pid=$!
wait_ready "$url" "$pid" || { cat "$folder/log"; exit 1; }
curl -fsS -u 'admin:the password of a secret' "$url/index.php/apps/news/api/v1-3/folders" | grep '"folders"' >/dev/null
curl -fsS "$url/login" | grep -i '<html' >/dev/null
stop "$pid" TERM || { cat "$folder/log"; exit 1; }
