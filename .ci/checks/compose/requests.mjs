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
const stop = new AbortController();
let count = 0;
let slowest = 0;
process.on('SIGTERM', () => stop.abort());

const ask = async (path, options = {}) => {
  const started = Date.now();
  count += 1;
  const signal = AbortSignal.timeout(30_000);
  const [status, text] = await fetch(url + path, { headers, signal, ...options })
    .then(async (response) => [response.status, await response.text()])
    .catch((error) => [0, String(error.cause ?? error)]);
  slowest = Math.max(slowest, Date.now() - started);
  if (status < 200 || status > 299) {
    const at = new Date(started).toISOString();
    failures.push(`${at} ${options.method ?? 'GET'} ${path}: ${status} ${text.slice(0, 200)}`);
    return '';
  }
  return text;
};

const rounds = [
  () => ask(`${news}/items?batchSize=20&type=3&getRead=true`),
  async (n) => {
    const made = await ask(`${news}/folders`, { method: 'POST', body: `{"name":"round ${n}"}` });
    if (made !== '') {
      await ask(`${news}/folders/${JSON.parse(made).folders[0].id}`, { method: 'DELETE' });
    }
  },
  async (n) => {
    await ask(file(n % 10), { method: 'PUT', body: `round ${n}` });
    const text = await ask(file(n % 10));
    if (text !== `round ${n}`) {
      failures.push(`the file of round ${n} has other content: ${text.slice(0, 200)}`);
    }
  },
  () => ask('/login'),
];
await Promise.all(
  rounds.map(async (round) => {
    for (let n = 0; !stop.signal.aborted && Date.now() < end && failures.length < 20; n += 1) {
      await round(n);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }),
);
process.stdout.write(
  `${count} requests, the slowest ${slowest} ms, ${failures.length} failed\n${failures.join('\n')}\n`,
);
process.exit(failures.length > 0 || count < 50 ? 1 : 0);
