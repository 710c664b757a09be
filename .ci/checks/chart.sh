#!/usr/bin/env bash
# The Helm chart, rendered with few and with all values, is of Kubernetes' types. Helm itself is in no
# registry that is at hand: Go's templates and sprig, from which it is made, come from Debian.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
mkdir -p "$work"
export GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$work/go
go build -o "$work/render" "$root/.ci/checks/chart/render.go"
render() { "$work/render" "$root/deploy/helm/gatefold" "$1" 2>"$work/notes" || { cat "$work/notes"; return 1; }; }

(cd "$work" && npm install --silent --ignore-scripts --no-save kubernetes-models@5.1.0 @kubernetes-models/prometheus-operator@6.0.0)
for values in few all; do
  render "$root/.ci/checks/chart/$values.yaml" >"$work/$values.yaml"
  node "$root/.ci/checks/chart/to-typescript.mjs" <"$work/$values.yaml" >"$work/$values.ts" 2>"$work/$values.kinds" ||
    { cat "$work/$values.kinds"; exit 1; }
  echo "$values: $(cat "$work/$values.kinds")"
done
(cd "$work" && node "$root/node_modules/typescript-native/bin/tsc" --noEmit --strict --skipLibCheck \
  --module esnext --moduleResolution bundler few.ts all.ts)

grep -q '^Deployment PersistentVolumeClaim PodDisruptionBudget Secret Service Service$' "$work/few.kinds"
grep -q '^Deployment Ingress PodDisruptionBudget Service Service ServiceMonitor$' "$work/all.kinds"
grep -q '"10737418240"' "$work/all.yaml"
if grep '<no value>\|secret@database' "$work/all.yaml"; then exit 1; fi
grep -q 'https://reader.example.org' "$work/notes"
# What is required is asked for by name.
: >"$work/none.yaml"
if render "$work/none.yaml" >"$work/refused"; then echo 'rendered without a baseUrl'; exit 1; fi
grep -q 'database.url is required' "$work/refused"
echo 'Not shown: helm itself (hooks, upgrades), and a cluster that runs what was rendered.'
