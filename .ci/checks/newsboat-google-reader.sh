#!/usr/bin/env bash
# newsboat as a client of the Google Reader API: with `urls-source "feedhq"`, and with "freshrss" where
# it is new enough. It pulls, reads and stars; a second newsboat with an empty cache sees it again.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
session=gatefold-newsboat-google-reader-$$

# try_source NAME FOLDER SPECIAL_FEEDS: on a demonstration of its own.
try_source() (
  work=$2
  source "$root/.ci/checks/newsboat-common.sh"
  cat >"$work/config" <<END
urls-source "$1"
$1-url "$url"
$1-login "demo"
$1-password "gatefold-demo"
$1-flag-star "s"
$1-min-items 100
$1-show-special-feeds $3
auto-reload no
END
  echo "urls-source \"$1\":"
  newsboat_with "$work/first.db" -x reload
  test "$(cached "$work/first.db" 'select count(*) from rss_item')" -ge 7
  read_and_star
  see_again
  # It logged in three times, as one program.
  passwords=$(curl -fsS -u demo:gatefold-demo -H 'OCS-APIRequest: true' \
    "$url/ocs/v2.php/core/apppasswords?format=json" | grep -oi '"name":"newsboat[^"]*"' | wc -l)
  echo "app passwords of newsboat: $passwords"
  test "$passwords" = 1
)

# Its list of starred items is always at feedhq.org, not at feedhq-url.
try_source feedhq "$1/feedhq" no
if grep -aq freshrss-url "$(command -v newsboat)"; then
  try_source freshrss "$1/freshrss" yes
else
  echo "SKIPPED urls-source \"freshrss\": $(newsboat --version | head -n 1) does not know it"
fi
