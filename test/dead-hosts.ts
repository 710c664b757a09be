import { once } from 'node:events';
/**
 * `node --import ./test/support/run-typescript.mjs test/dead-hosts.ts [--kind TEXT]`: healthy feeds of several
 * users on one service process, and one user who imports hosts that hang, refuse, vanish or are slow. The healthy
 * ones are fetched in time meanwhile, the dead ones are shown as failing, and the network counts as up. Time limits
 * of the process are ten times shorter. Prints a table, and what fails.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { aServiceProcess } from './support/a-service-process.js';
import { addDueSources } from './support/due-sources.js';
import { startApp } from './support/start-app.js';
import { createTestDatabase } from './support/test-database.js';
import { startTestServer } from './support/test-server.js';

const KINDS = ['hanging', 'refusing', 'vanishing', 'slow'] as const;
type Kind = (typeof KINDS)[number];

const COUNTS = [1, 120, 600];
const HEALTHY = 40;
const OWNERS = 4;
const FETCHES = 32;
/** Healthy feeds are due this often; a hanging fetch takes 3 s. */
const INTERVAL_MS = 5000;
const CELL_MS = 13_000;
const SLOW_MS = 2500;
/** The places that one user has for what is not quick, with a margin. */
const MOST_TRIED = 0.5 * (FETCHES / 4) * (CELL_MS / 3000);
const FEED =
  '<rss version="2.0"><channel><title>t</title><item><guid>i</guid></item></channel></rss>';

const { values: options } = parseArgs({ options: { kind: { type: 'string', default: '' } } });
const server = await startTestServer();
const database = await createTestDatabase();
const client = new Client({ connectionString: database.url });
await client.connect();
/** Times of the latest request by host, and the longest time between two of them. */
const asked = new Map<string, { atMs: number; longestMs: number }>();
const publisher = await listen(
  createServer((request, response) => {
    const host = request.headers.host ?? '';
    if (request.url !== '/healthy.xml') {
      if (request.url === '/slow.xml') {
        setTimeout(() => response.end(FEED), SLOW_MS);
      }
      return;
    }
    const now = performance.now();
    const { atMs, longestMs } = asked.get(host) ?? { atMs: now, longestMs: 0 };
    asked.set(host, { atMs: now, longestMs: Math.max(longestMs, now - atMs) });
    response.end(FEED);
  }),
);
const refusing = await listen(createServer());
await close(refusing.server);

let hosts = 0;
const addressOf = (port: number, path: string): string => {
  hosts += 1;
  return `http://127.8.${hosts >> 8}.${hosts & 255}:${port}${path}`;
};
const ADDRESSES: Readonly<Record<Kind, () => string>> = {
  hanging: () => addressOf(publisher.port, '/hanging.xml'),
  slow: () => addressOf(publisher.port, '/slow.xml'),
  refusing: () => addressOf(refusing.port, '/refusing.xml'),
  vanishing: () => `http://host-${(hosts += 1)}.gone.example/`,
};

// It adds the feeds; its own schedule is off.
const app = await startApp({ DATABASE_URL: database.url, GATEFOLD_SCHEDULER: 'off' });
const healthy: number[] = [];
for (let n = 0; n < OWNERS; n += 1) {
  const { userId } = (await app.signIn()).credentials;
  const urls = Array.from({ length: HEALTHY / OWNERS }, () =>
    addressOf(publisher.port, '/healthy.xml'),
  );
  healthy.push(...(await addDueSources(app, userId, urls)));
}
const mallory = (await app.signIn()).credentials.userId;
const service = await aServiceProcess(
  database.url,
  { GATEFOLD_SCHEDULER: 'on', GATEFOLD_FETCHES: String(FETCHES) },
  ['short-time-limits.mjs'],
);
const problems: string[] = [];
const lines = [
  '| kind | count | worst gap of healthy feeds, intervals | failing | fetches of dead per hour |',
  '| --- | --: | --: | --: | --: |',
];
try {
  await pause(INTERVAL_MS);
  for (const kind of KINDS.filter((name) => name.includes(options.kind))) {
    for (const count of COUNTS) {
      lines.push(await perform(kind, count));
    }
  }
  if (/seems to be down/.test(service.log())) {
    problems.push('The network counted as down.');
  }
} finally {
  await service.kill();
  await app.stop();
  await close(publisher.server);
  await client.end();
  await database.drop();
  await server.stop();
}
process.stdout.write(
  [
    ...lines,
    '',
    problems.length === 0 ? 'Nothing failed.' : `FAILED:\n${problems.join('\n')}`,
    '',
  ].join('\n'),
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function perform(kind: Kind, count: number): Promise<string> {
  const dead = await addDueSources(app, mallory, Array.from({ length: count }, ADDRESSES[kind]));
  // Nothing made the healthy feeds due while the others were added.
  asked.forEach((host) => Object.assign(host, { atMs: performance.now(), longestMs: 0 }));
  const end = performance.now() + CELL_MS;
  while (performance.now() < end) {
    await client.query(
      `update source_schedule set due_at = fetched_at + make_interval(secs => $2)
         from source where source.id = source_id and source_id = any($1) and lease_token is null
                       and due_at > fetched_at + make_interval(secs => $2)`,
      [healthy, INTERVAL_MS / 1000],
    );
    await pause(500);
  }
  const { rows } = await client.query<{ errors: number; attempts: number; soonest: number | null }>(
    `select error_count as errors, extract(epoch from due_at - now())::int as soonest,
            (select count(*)::int from fetch_attempt a where a.source_id = source.id) as attempts
       from source join source_schedule on source_id = source.id where source.id = any($1)`,
    [dead],
  );
  const tried = rows.filter(({ attempts }) => attempts > 0);
  const failing = tried.filter(({ errors }) => errors > 0);
  const now = performance.now();
  const gaps = [...asked.values()].map(({ atMs, longestMs }) => Math.max(longestMs, now - atMs));
  const worst = Math.max(...gaps) / INTERVAL_MS;
  const attempts = tried.reduce((sum, row) => sum + row.attempts, 0);
  const what = `${kind}, ${count}`;
  if (worst > 2) {
    problems.push(`${what}: a healthy feed waited for ${worst.toFixed(1)} intervals.`);
  }
  if (tried.length < Math.min(count, MOST_TRIED)) {
    problems.push(`${what}: only ${tried.length} were tried.`);
  }
  if (kind !== 'slow' && failing.length < tried.length) {
    problems.push(`${what}: ${failing.length} of ${tried.length} are shown as failing.`);
  }
  if (attempts > tried.length) {
    problems.push(`${what}: ${attempts} fetches of ${tried.length} within their first wait.`);
  }
  // What was not tried yet must not be counted with the next kind.
  await client.query(
    "update source_schedule set due_at = now() + interval '1 day' where source_id = any($1)",
    [dead],
  );
  const perHour = Math.round((attempts * 3_600_000) / CELL_MS);
  return `| ${kind} | ${count} | ${worst.toFixed(1)} | ${failing.length} of ${tried.length} tried | ${perHour} |`;
}

async function listen(
  listening: Server,
): Promise<{ readonly server: Server; readonly port: number }> {
  // All of 127.0.0.0/8, and nobody else.
  listening.on(
    'connection',
    (socket) => socket.remoteAddress?.startsWith('127.') || socket.destroy(),
  );
  listening.listen(0, '0.0.0.0');
  await once(listening, 'listening');
  return { server: listening, port: (listening.address() as AddressInfo).port };
}

async function close(listening: Server): Promise<void> {
  listening.close();
  listening.closeAllConnections();
  await once(listening, 'close');
}
