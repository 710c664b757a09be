#!/usr/bin/env bash
# How old the results in .ci/long.txt are, and which are missing or failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ ! -s .ci/long.txt ]; then
  echo 'Last long run: none is noted in .ci/long.txt.'
  exit 0
fi
echo 'Last long run:'
while read -r name result seconds _ commit date; do
  behind=$(git rev-list --count "${commit%+changes}..HEAD" -- . ':!.ci/long.txt' 2>/dev/null || echo '?')
  printf '  %-16s %-7s %6s s  %s, %s commits ago\n' "$name" "$result" "$seconds" "$date" "$behind"
done <.ci/long.txt
