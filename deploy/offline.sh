#!/usr/bin/env bash
# npm run package:offline [-- [--built] FOLDER]: as "npm run package", and writes gatefold-VERSION-SYSTEM.tgz to FOLDER (default: here): the
# package with all that it needs to run, Node.js and PostgreSQL too, for machines of this kind that have no network.
set -euo pipefail
built=()
if [ "${1:-}" = --built ]; then
  built=(--built)
  shift
fi
folder=$(realpath "${1:-.}")
system=$(node -p '`${process.platform}-${process.arch}`')
version=$(node -p 'require("./package.json").version')
name=gatefold-$version-$system
workshop=$(mktemp -d)
trap 'rm -rf "$workshop"' EXIT

bash deploy/package.sh "${built[@]}" "$folder"
mkdir "$workshop/$name"
tar xzf "$folder/gatefold-$version.tgz" --strip-components 1 -C "$workshop/$name"
(cd "$workshop/$name" && npm ci --omit dev --ignore-scripts --no-audit --no-fund --loglevel=error)
[ -x "$workshop/$name/node_modules/node-$system/bin/node" ] ||
  { echo "npm has no Node.js for $system, which the archive has to hold"; exit 1; }
cat >"$workshop/$name/gatefold" <<'SCRIPT'
#!/bin/sh
# Starts the command line with the Node.js of this folder: ./gatefold serve
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec "$here"/node_modules/node-*/bin/node "$here/bin/gatefold.mjs" "$@"
SCRIPT
chmod 755 "$workshop/$name/gatefold"
tar czf "$folder/$name.tgz" --owner 0 --group 0 -C "$workshop" "$name"
(cd "$folder" && sha256sum "$name.tgz" >"$name.tgz.sha256")
