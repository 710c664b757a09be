#!/usr/bin/env bash
# Two processes of the version before the last change of the schema are replaced under load, and no
# request fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec node --no-warnings --import ./test/support/run-typescript.mjs test/rolling-upgrade.ts "$@"
