#!/usr/bin/env bash
# A real, unmodified client: newsboat pulls the demonstration's feeds, reads one article and stars
# another; a second newsboat with an empty cache finds both flags on the server.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
session=gatefold-newsboat-$$
source "$root/.ci/checks/newsboat-common.sh"

cat >"$work/config" <<END
urls-source "ocnews"
ocnews-url "$url"
ocnews-login "demo"
ocnews-password "gatefold-demo"
ocnews-flag-star "s"
auto-reload no
END

newsboat_with "$work/first.db" -x reload
test "$(cached "$work/first.db" 'select count(*) from rss_item')" -ge 7
read_and_star

# Another machine: nothing in the cache, all of it from the server.
see_again
open_newsboat "$work/second.db"
tmux send-keys -t "$session" R
wait_screen "/$starred_expected) Starred"
