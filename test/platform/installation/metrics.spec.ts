import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import yaml from 'yaml';
import { MetricsServer } from '../../../src/common/metrics/metrics-server.js';
import { ApiClient } from '../../support/api-client.js';
import { rss, startFeedServer, type FeedServer } from '../../support/feed-server.js';
import { NewsClient } from '../../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

const TOKEN = 'the token of the collector';

let app: TestApp;
let ada: TestUser;
let publisher: FeedServer;

beforeAll(async () => {
  app = await startApp({ GATEFOLD_METRICS_TOKEN: TOKEN, GATEFOLD_METRICS_PORT: '0' });
  ada = await app.signInOnce('ada');
  publisher = await startFeedServer();
  publisher.publish('/feed', rss({ title: 'Tides', items: [{ title: 'Low tide' }] }));
  const news = new NewsClient(ada, 'v1-3');
  const feed = await news.subscribe(publisher.url('/feed'));
  await news.items();
  publisher.publish('/feed', rss({ title: 'Tides', items: [{ title: 'High tide' }] }));
  await app.asAdmin().get('/index.php/apps/news/api/v1-3/feeds/update', {
    query: { userId: 'ada', feedId: feed.id },
  });
  await news.items();
});
afterAll(async () => {
  await publisher.close();
  await app.stop();
});

const asCollector = (token = TOKEN) =>
  app.asStranger().get('/metrics', { headers: { authorization: `Bearer ${token}` } });

/** Series as written, without their values. */
async function series(): Promise<string[]> {
  const { text } = await asCollector();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));
}

async function valueOf(name: string): Promise<number> {
  const { text } = await asCollector();
  const line = text.split('\n').find((written) => written.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

describe('/metrics', () => {
  it('is for the collector with the token, and nobody else', async () => {
    const answer = await asCollector();

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const other of [await asCollector('another token'), await ada.get('/metrics')]) {
      expect(other.status).toBe(401);
      expect(other.text).not.toContain('gatefold_');
    }
    expect((await app.asStranger().get('/metrics')).status).toBe(401);
  });

  it('is also at a port of its own, where nothing else is', async () => {
    const port = await app.inside(MetricsServer).listen();
    const own = new ApiClient(`http://127.0.0.1:${port}`);

    expect((await own.get('/metrics')).text).toContain('gatefold_info{version=');
    expect((await own.get('/')).status).toBe(404);
    expect((await own.call('POST', '/metrics')).status).toBe(404);
  });

  it('has requests by the pattern of their route, so that senders make no series', async () => {
    const news = '/index.php/apps/news/api/v1-3';
    await ada.get(`${news}/items?type=3`);
    const before = await series();
    for (let n = 0; n < 100; n++) {
      await ada.get(`${news}/favicon/${n}`);
      await app.asStranger().get(`/no/such/address/${n}`);
      await app
        .asStranger()
        .call('BREW', `/pot/${n}`)
        .catch(() => null);
    }
    const after = await series();

    expect(before).toContainEqual(
      'gatefold_http_request_seconds_count{method="GET",route="/apps/news/api/v1-3/items",status="2xx"}',
    );
    const added = after.filter(
      (line) => !before.includes(line) && line.startsWith('gatefold_http_request_seconds_count'),
    );
    expect(added.length).toBeLessThanOrEqual(3);
    expect(after.join('\n')).not.toMatch(/such|pot|ada/);
  });

  it('counts fetches, deliveries, sources, failed logins and calls', async () => {
    await new ApiClient(app.url, { userId: 'ada', password: 'wrong' }).get(
      '/ocs/v2.php/cloud/user',
    );

    expect(await valueOf('gatefold_fetch_seconds_count{outcome="feed"}')).toBe(2);
    expect(await valueOf('gatefold_delivery_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(await valueOf('gatefold_sources{state="all"}')).toBe(1);
    expect(await valueOf('gatefold_audit_events_total{kind="login_failed"}')).toBe(1);
    // Before their first event, so that the first one is an increase.
    expect(await valueOf('gatefold_audit_events_total{kind="second_factor_failed"}')).toBe(0);
    expect(await valueOf('gatefold_app_calls_total{status="unreachable"}')).toBe(0);
    expect(await valueOf('gatefold_database_connections{state="used"}')).toBeGreaterThanOrEqual(0);
    expect(await valueOf('gatefold_tasks{state="scheduled"}')).toBe(0);
    expect(await valueOf('gatefold_open_connections{kind="live updates"}')).toBe(0);
  });

  it('makes no statement for a second collector', async () => {
    await asCollector();
    const pool = app.database;
    const statements: string[] = [];
    const query = pool.query.bind(pool);
    pool.query = (sql, params) => {
      statements.push(sql);
      return query(sql, params);
    };

    await Promise.all([asCollector(), asCollector()]);
    pool.query = query;

    // Workers look for jobs meanwhile.
    expect(statements.filter((sql) => !sql.startsWith('select kind from'))).toEqual([]);
  });
});

describe('deploy/monitoring', () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../../deploy/monitoring/${name}`, import.meta.url), 'utf8');

  it.each(['grafana-dashboard.json', 'alerts.yml'])('%s uses metrics that exist', async (file) => {
    const { text } = await asCollector();
    const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
    // Only with the embedded database.
    known.add('gatefold_database_restarts_total');
    const used = [...read(file).matchAll(/\b((?:gatefold|nodejs|process)_\w+)\b/g)].map(
      ([, name = '']) => name.replace(/_(?:count|sum|bucket)$/, ''),
    );

    expect(used.length).toBeGreaterThan(10);
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
  });

  it('is well-formed', () => {
    const rules = yaml.parse(read('alerts.yml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
    };
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: object[] };

    expect(
      rules.groups[0]?.rules.every(({ expr, annotations }) => expr && annotations.summary),
    ).toBe(true);
    expect(yaml.parse(read('prometheus.yml'))).toMatchObject({ rule_files: ['alerts.yml'] });
    expect(dashboard.panels.length).toBeGreaterThan(10);
  });
});
