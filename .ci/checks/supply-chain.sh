#!/usr/bin/env bash
# Licences, the list of components (SBOM), and known weaknesses of the packages of the service.
set -euo pipefail
cd "$(dirname "$0")/../.."

npm run --silent licences

npm run --silent sbom | node -e '
  const { bomFormat, components } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const names = new Set(components.map(({ group, name }) => (group ? `${group}/${name}` : name)));
  const needed = Object.keys(require("./package.json").dependencies);
  const missing = needed.filter((name) => !names.has(name));
  if (bomFormat !== "CycloneDX" || missing.length > 0) throw new Error(`the SBOM lacks ${missing}`);
  if (names.has("jest")) throw new Error("the SBOM has packages of the development");
  console.log(`The SBOM lists ${components.length} packages.`);
'

if audit=$(npm audit --omit dev --audit-level high 2>&1); then
  echo 'npm audit knows of no serious weakness.'
elif grep -q 'audit endpoint returned an error\|ENOTFOUND\|ECONNREFUSED' <<<"$audit"; then
  echo 'SKIPPED  npm audit: this registry does not offer it'
else
  echo "$audit"
  exit 1
fi
