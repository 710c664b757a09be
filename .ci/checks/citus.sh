#!/usr/bin/env bash
# The service on a real Citus cluster: one coordinator and two workers. With Debian's apt, the server
# that the extension is built for is unpacked below a private folder; nothing is installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
mkdir -p "$work"
if [ -z "${CITUS_SERVER:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # The image offers an older one until its lists are renewed.
  apt-get update -qq
  (cd "$work" && apt-get download -qq postgresql-15 2>&1)
  dpkg -x "$work"/postgresql-15_*.deb "$work/server"
  rm "$work"/postgresql-15_*.deb
  export CITUS_SERVER=$work/server
fi
cd "$root"
npm run --silent test:citus
