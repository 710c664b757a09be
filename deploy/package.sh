#!/usr/bin/env bash
# npm run package [-- [--built] FOLDER]: builds, but not with --built, and writes gatefold-VERSION.tgz and its list of components
# (gatefold-VERSION.cdx.json) to FOLDER (default: here). The archive holds the lock file as npm-shrinkwrap.json, so that "npm ci" installs the versions that were tested.
set -euo pipefail
if [ "${1:-}" = --built ]; then
  shift
else
  npm run --silent build
fi
folder=${1:-.}
trap 'rm -f npm-shrinkwrap.json' EXIT
cp package-lock.json npm-shrinkwrap.json
npm pack --silent --pack-destination "$folder"
version=$(node -p 'require("./package.json").version')
node deploy/sbom.mjs >"$folder/gatefold-$version.cdx.json"
