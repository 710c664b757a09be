#!/usr/bin/env bash
# What "npm run package:offline" makes, on a machine without a network and without Node.js: in a network namespace of its own, an
# ordinary user unpacks it, starts it, and reads the feed reader API and the pages. What is fetched fails with a reason.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
folder=$1
mkdir -p "$folder/source" "$folder/made" "$folder/there" && chmod 755 "$folder"

# In a copy, since packing writes. A check before this one has built.
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$folder/source")
ln -s "$root/node_modules" "$folder/source/node_modules"
cp -a "$root/dist" "$folder/source/dist"
cp -a "$root/web/dist" "$folder/source/web/dist"
(cd "$folder/source" && npm run --silent package:offline -- --built "$folder/made")
(cd "$folder/made" && sha256sum --check --quiet gatefold-*.sha256)

cat >"$folder/on-the-machine" <<'SCRIPT'
set -euo pipefail
cd "$1"
if command -v node; then
  echo 'there is a Node.js'; exit 1
fi
if curl -sS --max-time 5 http://192.0.2.1/ 2>/dev/null; then
  echo 'there is a network'; exit 1
fi
tar xzf ../made/gatefold-*-*.tgz --strip-components 1
export GATEFOLD_PORT=8080 GATEFOLD_DATA_DIR=$PWD/data GATEFOLD_ADMIN_PASSWORD='a password without a network'
./gatefold serve >log 2>&1 </dev/null &
service=$!
trap 'cat log' ERR
for _ in $(seq 1 200); do
  curl -fsS -o /dev/null http://127.0.0.1:8080/health/ready 2>/dev/null && break
  kill -0 $service
  sleep 0.3
done
news() { curl -sS -u "admin:$GATEFOLD_ADMIN_PASSWORD" "http://127.0.0.1:8080/index.php/apps/news/api/v1-3/$1" "${@:2}"; }
news folders | grep '"folders"' >/dev/null
curl -fsS http://127.0.0.1:8080/login | grep -i '<html' >/dev/null
# An address that cannot be reached is refused with a sentence, soon.
news feeds --max-time 60 -X POST -d url=https://feeds.example.org/feed.xml | grep '"message"' >/dev/null
./gatefold doctor >doctor || true
grep -i 'database' doctor >/dev/null
kill $service
wait $service
SCRIPT

# Only programs of the system, without any Node.js.
mkdir "$folder/programs"
for program in sh bash curl tar gzip grep sed cat dirname seq sleep kill env id ls mkdir ip; do
  ln -s "$(command -v "$program")" "$folder/programs/$program" 2>/dev/null || true
done
# As root of the namespace first, to bring up its loopback interface.
runner=()
if [ "$(id -u)" = 0 ]; then
  chown -R nobody: "$folder/there"
  runner=(setpriv --reuid nobody --regid nogroup --clear-groups)
  unshare=(unshare --net)
else
  unshare=(unshare --net --map-root-user)
fi
"${unshare[@]}" bash -euc 'ip link set lo up; exec "$@"' - "${runner[@]}" \
  env -i PATH="$folder/programs" HOME="$folder/there" bash "$folder/on-the-machine" "$folder/there"
