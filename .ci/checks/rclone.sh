#!/usr/bin/env bash
# Real, unmodified clients of files: rclone copies a tree there, checks it by checksum, moves parts of
# it and brings it back byte by byte; cadaver edits by hand, locks included.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
mkdir -p "$work"
port=$(free_port)
url=http://127.0.0.1:$port
files=$url/remote.php/dav/files/admin
password='rclone & cadaver'

GATEFOLD_DATA_DIR=$work/data GATEFOLD_PORT=$port GATEFOLD_SCHEDULER=off \
  GATEFOLD_ADMIN_PASSWORD=$password node "$root/bin/gatefold.mjs" serve >"$work/service.log" 2>&1 &
service=$!
cleanup() { kill -0 "$service" 2>/dev/null && stop "$service" INT || true; }
trap cleanup EXIT
wait_ready "$url" "$service"

mkdir -p "$work/tree/deep/er" "$work/tree/many"
for n in $(seq 1 60); do echo "file $n" >"$work/tree/many/$n.txt"; done
echo 'odd name' >"$work/tree/deep/ä & ü + 100%.txt"
: >"$work/tree/deep/er/empty"
head -c 20000000 /dev/urandom >"$work/tree/large.bin"
touch -d '2020-01-02 03:04:05 UTC' "$work/tree/large.bin"

config=$work/rclone.conf
cat >"$config" <<END
[home]
type = webdav
url = $files
vendor = nextcloud
user = admin
pass = $(rclone obscure "$password")
END
rclone() { command rclone --config "$config" --retries 1 "$@"; }
# has_no FILE PATTERN: a negated command would not end the script.
has_no() { if grep -i -E "$2" "$1"; then return 1; fi; }

rclone copy "$work/tree" home:tree --transfers 8
rclone check "$work/tree" home:tree --checksum
rclone lsl home:tree/large.bin | tee "$work/large.txt"
grep -q 2020-01-02 "$work/large.txt"
test "$(rclone lsf -R --files-only home:tree | wc -l)" = 63

# Nothing to do the second time; a change is one file.
rclone sync "$work/tree" home:tree -v 2>&1 | tee "$work/again.log" | tail -n 3
has_no "$work/again.log" 'copied'
echo 'changed' >"$work/tree/many/1.txt"
rm "$work/tree/many/2.txt"
rclone sync "$work/tree" home:tree
test "$(rclone cat home:tree/many/1.txt)" = changed
rclone lsf home:tree/many >"$work/many.txt"
has_no "$work/many.txt" '^2\.txt$'

rclone moveto home:tree/many home:moved/here
rclone copyto home:moved/here/3.txt 'home:copy of 3.txt'
rclone copy home:tree/large.bin home:copies
rclone purge home:tree/deep
rclone copy home: "$work/back"
cmp "$work/tree/large.bin" "$work/back/copies/large.bin"
diff -r "$work/tree/many" "$work/back/moved/here"
test "$(cat "$work/back/copy of 3.txt")" = 'file 3'
test ! -e "$work/back/tree/deep"
test "$(rclone cat --offset 10 --count 5 home:tree/large.bin | od -An -tx1)" = \
  "$(tail -c +11 "$work/tree/large.bin" | head -c 5 | od -An -tx1)"
rclone about home:

# cadaver takes the password from here, and says of each command whether it succeeded.
mkdir -p "$work/home"
(umask 077 && printf 'machine 127.0.0.1\nlogin admin\npassword "%s"\n' "$password" >"$work/home/.netrc")
cat >"$work/commands" <<END
mkcol hand
cd hand
put $work/tree/many/3.txt three.txt
copy three.txt copy.txt
lock three.txt
discover three.txt
move copy.txt moved.txt
propset moved.txt color blue
propget moved.txt color
unlock three.txt
get moved.txt $work/moved.txt
delete three.txt
cd ..
rmcol copies
ls hand
quit
END
HOME=$work/home cadaver "$files/" <"$work/commands" 2>&1 | tee "$work/cadaver.log"
has_no "$work/cadaver.log" 'failed|error|could not'
grep -q 'Value of color is: blue' "$work/cadaver.log"
grep -q 'Scope: exclusive' "$work/cadaver.log"
cmp "$work/tree/many/3.txt" "$work/moved.txt"
test "$(rclone lsf home:hand)" = moved.txt
