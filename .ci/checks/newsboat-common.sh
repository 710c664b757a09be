# Sourced by the checks with newsboat, after $root, $work and $session are set: starts the demonstration at
# $url, and defines how newsboat and what it stored are used.

source "$root/.ci/checks/service.sh"
mkdir -p "$work"
port=$(free_port)
url=http://127.0.0.1:$port

GATEFOLD_LOG_LEVEL=debug GATEFOLD_PORT=$port node "$root/bin/gatefold.mjs" demo >"$work/demo.log" 2>&1 &
demo=$!
cleanup() {
  tmux kill-session -t "$session" 2>/dev/null || true
  kill -0 "$demo" 2>/dev/null && stop "$demo" INT || true
}
trap cleanup EXIT
for _ in $(seq 1 600); do
  grep -q 'until Ctrl-C' "$work/demo.log" && break
  kill -0 "$demo" 2>/dev/null || { cat "$work/demo.log"; exit 1; }
  sleep 0.1
done

api() { curl -fsS -u demo:gatefold-demo "$url/index.php/apps/news/api/v1-2/$1"; }
newsboat_with() { TERM=xterm newsboat -C "$work/config" -c "$1" -u "$work/urls" "${@:2}"; }

# cached CACHE SQL: what newsboat itself stored.
cached() {
  node --no-warnings -e '
    const { DatabaseSync } = require("node:sqlite");
    const row = new DatabaseSync(process.argv[1], { readOnly: true }).prepare(process.argv[2]).get();
    console.log(Object.values(row)[0]);' "$1" "$2"
}

wait_screen() {
  for _ in $(seq 1 200); do
    tmux capture-pane -p -t "$session" | grep -q -- "$1" && return 0
    sleep 0.1
  done
  echo "newsboat never showed: $1"
  tmux capture-pane -p -t "$session"
  return 1
}
open_newsboat() {
  tmux new-session -d -s "$session" -x 100 -y 30 \
    "TERM=xterm newsboat -C '$work/config' -c '$1' -u '$work/urls' 2>'$work/newsboat.err'"
}

count_of() { api "$1" | node -p 'JSON.parse(require("fs").readFileSync(0)).items.length'; }

# read_and_star: by hand, as a person would, in the cache first.db: opens the article "new lamp" and flags it.
read_and_star() {
  local starred_before starred unread_before unread_after
  starred_before=$(count_of 'items?type=2&id=0')
  starred_expected=$((starred_before + 1))
  unread_before=$(count_of 'items?type=3&getRead=false')
  open_newsboat "$work/first.db"
  wait_screen 'Harbour Log'
  # Filter the list down to one feed, open it, read its newest article, flag the same article.
  tmux send-keys -t "$session" F && wait_screen 'Filter:'
  tmux send-keys -t "$session" 'feedtitle = "Harbour Log"' Enter && wait_screen 'Harbour Log'
  tmux send-keys -t "$session" Enter && wait_screen 'new lamp'
  tmux send-keys -t "$session" Enter && wait_screen 'nine'
  tmux send-keys -t "$session" q && wait_screen 'seals'
  tmux send-keys -t "$session" C-e && wait_screen 'Flags:'
  tmux send-keys -t "$session" s Enter
  for _ in $(seq 1 100); do
    starred=$(count_of 'items?type=2&id=0')
    [ "$starred" = "$starred_expected" ] && break
    sleep 0.1
  done
  tmux kill-session -t "$session"
  unread_after=$(count_of 'items?type=3&getRead=false')
  echo "starred on the server: $starred_before, then $starred; unread: $unread_before, then $unread_after"
  test "$starred" = "$starred_expected"
  test "$unread_after" -lt "$unread_before"
}

# see_again: another machine, nothing in the cache second.db, all of it from the server.
see_again() {
  local unread
  newsboat_with "$work/second.db" -x reload
  unread=$(cached "$work/second.db" "select unread from rss_item where title like '%new lamp%'")
  echo "in an empty cache the article has unread=$unread"
  test "$unread" = 0
}
