# Sourced by .ci/run and .ci/long: runs checks, two at a time, and tells how each went.
set -uo pipefail
root=$PWD
export CI=true
# Inside these scripts as inside npm scripts: the Node.js of the lock file comes first.
export PATH="$root/node_modules/.bin:$PATH"

work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

passed=0
failed=0

# failures FILE: what jest ("●") and Playwright ("1) [chromium] ›") say of each failed test.
failures() {
  grep -a -E -A 18 '^ *(● |[0-9]+\) )' "$1" | grep -a -vE '^ *(--|at .*node_modules.*|)$' | head -n 60
}

# How many checks run beside one another; each has a folder and ports of its own.
lanes=2
names=()

# begin NAME COMMAND…: starts a check, as soon as fewer than $lanes are running.
begin() {
  local n=${#names[@]}
  names+=("$1")
  shift
  while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do wait -n; done
  (
    started=$SECONDS
    "$@" >"$work/$n.output" 2>&1 </dev/null
    echo "$? $((SECONDS - started))" >"$work/$n.result"
  ) &
}

# after_check NAME STATUS SECONDS: called for each check that has ended; .ci/long notes it.
after_check() { :; }

# finish: waits for the checks that were begun, and tells how each went, with its output when it
# failed: first the names of the tests that failed with what they saw, then the end of everything.
reported=0
finish() {
  local n status seconds
  wait
  for ((n = reported; n < ${#names[@]}; n++)); do
    read -r status seconds <"$work/$n.result"
    if [ "$status" = 0 ]; then
      passed=$((passed + 1))
      printf 'ok    %s (%s s)\n' "${names[n]}" "$seconds"
    else
      failed=$((failed + 1))
      printf 'FAIL  %s (%s s)\n' "${names[n]}" "$seconds"
      failures "$work/$n.output" | sed 's/^/      /'
      printf '      … the end of the output:\n'
      tail -n 150 "$work/$n.output" | sed 's/^/      /'
    fi
    after_check "${names[n]}" "$status" "$seconds"
  done
  reported=${#names[@]}
}

# check NAME COMMAND…: one that needs the machine for itself.
check() {
  finish
  begin "$@"
  finish
}

# slowest: the ten slowest checks, spec files and browser tests, in seconds.
slowest() {
  local n
  printf 'Slowest checks:\n'
  for n in "${!names[@]}"; do
    printf '%9.1f s  %s\n' "$(cut -d ' ' -f 2 "$work/$n.result")" "${names[n]}"
  done | sort -rn | head -n 10
  sed -n '/^Slowest specs:/,/^[^ S]/{/^[ S]/p}' "$work"/*.output
  printf 'Slowest browser tests:\n'
  sed -nE 's/^ *(ok|✓) +[0-9]+ .*› (.*) \(([0-9.]+)s\)$/\3 s  \2/p' "$work"/*.output |
    sort -rn | head -n 10 | sed 's/^/     /'
}

# summary: the last line, and the status of the script.
summary() {
  finish
  slowest
  printf '%s passed, %s failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}

# install_programs PROGRAM[=PACKAGE[,PACKAGE…]]…: Debian programs that the checks drive, by the package of
# their name or by those given, and a browser. Without apt-get they have to be there already.
install_programs() {
  local missing=() packages program
  for program in "$@"; do
    command -v "${program%%=*}" >/dev/null && continue
    IFS=, read -ra packages <<<"${program#*=}"
    missing+=("${packages[@]}")
  done
  [ ${#missing[@]} -eq 0 ] && browser && return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    from_debian "${missing[@]}"
    browser || from_debian chromium-headless-shell || from_debian chromium
  fi
}

# Servers are not started by their packages: the checks run them with a configuration of their own.
from_debian() {
  [ $# -eq 0 ] && return 0
  local policy=/usr/sbin/policy-rc.d ours='' status
  if [ ! -e "$policy" ]; then
    ours=yes
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  status=$?
  [ -z "$ours" ] || rm -f "$policy"
  return "$status"
}

# browser: the program for the browser tests, as chosen in web/test/chromium.ts.
browser() {
  command -v chromium-headless-shell || command -v chromium
}

# with_program PROGRAM begin|check NAME COMMAND…: a check whose program is missing fails in CI, and
# is skipped loudly elsewhere.
with_program() {
  local program=$1 how=$2 name=$3
  shift 3
  if command -v "$program" >/dev/null; then
    "$how" "$name" "$@"
  elif [ "$(id -u)" = 0 ]; then
    "$how" "$name" bash -c "echo '$program is missing'; false"
  else
    printf 'SKIPPED  %s: %s is not installed here\n' "$name" "$program"
  fi
}
