#!/usr/bin/env bash
# Every route, each manner of a bad sender and three senders, beside an ordinary user.
set -euo pipefail
cd "$(dirname "$0")/../.."
ulimit -n "$(ulimit -Hn)"
exec node --no-warnings --import ./test/support/run-typescript.mjs test/one-against-all.ts "$@"
