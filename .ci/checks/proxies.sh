#!/usr/bin/env bash
# nginx and HAProxy as configured in deploy, each before two replicas: rolling restarts under load without
# one failed request.
set -euo pipefail
cd "$(dirname "$0")/../.."
ulimit -n "$(ulimit -Hn)"
for proxy in ${1:-nginx haproxy}; do
  node --no-warnings --import ./test/support/run-typescript.mjs test/proxies.ts "$proxy"
done
