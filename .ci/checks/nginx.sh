#!/usr/bin/env bash
# Behind a real reverse proxy, below a path prefix that the proxy passes on.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/.ci/checks/service.sh"
work=$1
mkdir -p "$work" && chmod 755 "$work"
port=$(free_port)
proxy=$(free_port)
public=http://127.0.0.1:$proxy/cloud

cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  server {
    listen 127.0.0.1:$proxy;
    location / {
      proxy_pass http://127.0.0.1:$port;
      proxy_http_version 1.1;
      proxy_set_header Host \$host;
      proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto \$scheme;
      proxy_buffering off;
      gzip on;
      gzip_proxied any;
      gzip_types application/json;
    }
  }
}
END

GATEFOLD_PORT=$port GATEFOLD_DATA_DIR="$work/data" GATEFOLD_ADMIN_PASSWORD='a good password' \
  GATEFOLD_BASE_URL=$public GATEFOLD_TRUSTED_PROXIES=127.0.0.1/32 \
  node "$root/bin/gatefold.mjs" serve >"$work/log" 2>&1 &
service=$!
nginx -c "$work/nginx.conf" >>"$work/log" 2>&1 &
nginx_pid=$!
trap 'kill "$nginx_pid" 2>/dev/null || true; kill -0 "$service" 2>/dev/null && stop "$service" TERM || true' EXIT

wait_ready "http://127.0.0.1:$port" "$service" || { cat "$work/log"; exit 1; }
for _ in $(seq 1 100); do curl -fsS -o /dev/null "$public/health/live" 2>/dev/null && break; sleep 0.1; done

api=$public/index.php/apps/news/api/v1-3
curl -fsS -u 'admin:a good password' -H 'Content-Type: application/json' -d '{"name":"Science"}' "$api/folders" | grep -q Science
curl -fsS -u 'admin:a good password' --compressed "$api/items" | grep -q '{"items":\[\]}'
curl -fsS "$public/index.php/apps/news/api" | grep -q v1-2
test "$(curl -s -o /dev/null -w '%{http_code}' "$api/feeds")" = 401
# Failed attempts count against the client that made them, not against everybody behind the proxy.
attempt() {
  curl -s -o /dev/null -w '%{http_code}' -u "$1" -H 'X-Forwarded-For: 198.51.100.7' "$api/feeds"
}
# The same wrong password counts once.
for n in $(seq 1 8); do attempt "admin:wrong $n" >/dev/null; done
attacker=$(attempt admin:wrong)
neighbour=$(curl -s -o /dev/null -w '%{http_code}' -u 'admin:wrong' "$api/feeds")
echo "the attacker sees $attacker, a neighbour $neighbour"
test "$attacker" = 429
test "$neighbour" = 401
