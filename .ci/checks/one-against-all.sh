#!/usr/bin/env bash
# What one sender, publisher, owner or lost right can do to all others. Without arguments everything; with
# arguments every route with each manner of a bad sender, as test/one-against-all.ts takes them.
set -uo pipefail
cd "$(dirname "$0")/../.."
ulimit -n "$(ulimit -Hn)"

run() {
  printf '\n== %s\n' "$*"
  node --no-warnings --import ./test/support/run-typescript.mjs "$@"
}

if [ $# -gt 0 ]; then
  run test/one-against-all.ts "$@"
  exit
fi
failed=0
# Every changing route x every way to lose the right x the second half of the body afterwards.
npm test --silent -- test/late-bodies.spec.ts test/common/ended-rights.spec.ts || failed=1
# Every kind of document, and every route with a body, x how long the main thread computes.
run test/main-thread.ts || failed=1
run test/main-thread-requests.ts || failed=1
# Every list at its limits x 200 requests at once, beside a user.
run test/bounded-answers.ts || failed=1
# Owners x kinds and numbers of dead hosts.
run test/dead-hosts.ts || failed=1
run test/one-against-all.ts || failed=1
exit "$failed"
