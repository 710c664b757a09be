# Sourced by the checks: start a command that runs the service, wait for it, stop it.

bin="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/node_modules/.bin"
stranger_path=$(sed "s#$bin:##g" <<<"$PATH")
# As inside npm scripts: the Node.js of the lock file comes first.
export PATH="$bin:$stranger_path"

free_port() {
  node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'
}

# wait_ready URL PID: until the service is ready, or its process has ended.
wait_ready() {
  for _ in $(seq 1 200); do
    curl -fsS -o /dev/null "$1/health/ready" 2>/dev/null && return 0
    kill -0 "$2" 2>/dev/null || { echo "the service ended before it was ready"; return 1; }
    sleep 0.3
  done
  echo "the service was not ready within a minute"
  return 1
}

# stop PID SIGNAL: sends it and waits for the process to end.
stop() {
  kill -s "$2" "$1" || return 1
  for _ in $(seq 1 300); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  echo "process $1 did not end within 30 s of SIG$2"
  return 1
}
