/**
 * `node requests.mjs URL NAME PASSWORD`: reads and writes as clients do until SIGTERM, at most for ten
 * minutes. Prints the number of requests and the slowest one; exits with 1 if one failed.
 */
const [, , url, name, password] = process.argv;
const headers = {
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  'content-type': 'application/json',
};
const news = '/index.php/apps/news/api/v1-3';
const file = (n) => `/remote.php/dav/files/${name}/note-${n}.txt`;
const end = Date.now() + 600_000;
const failures = [];
let stopped = false;
let count = 0;
let slowest = 0;
process.on('SIGTERM', () => (stopped = true));

const ask = async (method, path, body) => {
  const started = Date.now();
  count += 1;
  const response = await fetch(url + path, {
    method,
    headers,
    body,
    signal: AbortSignal.timeout(30_000),
  }).catch((error) => ({ status: String(error.cause ?? error), text: () => '' }));
  const text = await response.text();
  slowest = Math.max(slowest, Date.now() - started);
  if (!response.ok) {
    failures.push(
      `${new Date(started).toISOString()} ${method} ${path}: ${response.status} ${text.slice(0, 200)}`,
    );
  }
  return text;
};

const rounds = [
  () => ask('GET', `${news}/items?batchSize=20&type=3&getRead=true`),
  async (n) => {
    const { folders } = JSON.parse(
      (await ask('POST', `${news}/folders`, `{"name":"round ${n}"}`)) || '{}',
    );
    if (folders) {
      await ask('DELETE', `${news}/folders/${folders[0].id}`);
    }
  },
  async (n) => {
    await ask('PUT', file(n % 10), `round ${n}`);
    const text = await ask('GET', file(n % 10));
    if (text !== `round ${n}`) {
      failures.push(`the file of round ${n} has other content: ${text.slice(0, 200)}`);
    }
  },
  () => ask('GET', '/login'),
];
await Promise.all(
  rounds.map(async (round) => {
    for (let n = 0; !stopped && Date.now() < end && failures.length < 20; n += 1) {
      await round(n);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }),
);
console.log(`${count} requests, the slowest ${slowest} ms, ${failures.length} failed`);
console.log(failures.join('\n'));
process.exit(failures.length > 0 || count < 50 ? 1 : 0);
