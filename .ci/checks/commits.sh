#!/usr/bin/env bash
# Since the last release, or since this rule where that is later: the subject of each commit has at most 72
# characters, in the form "type(room): …", and a body says why.
set -euo pipefail
cd "$(dirname "$0")/../.."
rule=$(git log --diff-filter=A --format=%H -- .ci/checks/commits.sh | tail -n 1)
release=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true)
if [ -z "$rule" ]; then
  echo 'The history does not reach back to this rule: nothing to check.'
  exit 0
fi
since=$rule
[ -n "$release" ] && git merge-base --is-ancestor "$rule" "$release" && since=$release

bad=0
while IFS= read -r -d $'\x1e' commit && IFS= read -r -d $'\x1e' subject && IFS= read -r -d $'\x1e' body; do
  commit=${commit//[[:space:]]/}
  said=''
  while IFS= read -r line; do
    [[ "$line" =~ ^[A-Z][A-Za-z-]+:\  ]] || said+=$line
  done <<<"$body"
  fault=''
  [ ${#subject} -le 72 ] || fault+=" has ${#subject} characters;"
  [[ "$subject" =~ ^(feat|fix|perf|refactor|test|docs|ci|build|chore)(\([a-z-]+\))?:\ [^\ ] ]] || fault+=' is not "type(room): …";'
  [[ "$subject" == 'chore: release '* || "$said" == *[![:space:]]* ]] || fault+=' has no body that says why;'
  if [ -n "$fault" ]; then
    printf '%s "%s"%s\n' "${commit:0:10}" "$subject" "${fault%;}"
    bad=1
  fi
done < <(git log --no-merges --format='%H%x1e%s%x1e%b%x1e' "$since..HEAD")
exit "$bad"
