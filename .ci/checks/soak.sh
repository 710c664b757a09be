#!/usr/bin/env bash
# Two replicas under load while the database is cut off, refuses and freezes, and replicas come and go.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec node --no-warnings --import ./test/support/run-typescript.mjs test/soak.ts "${SOAK_SECONDS:-40}"
