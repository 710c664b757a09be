import { beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { WithApp } from '../../src/common/command-line/with-app.js';
import type { AddressReport } from '../../src/news/doctor/address-doctor.service.js';
import { registerDoctorCommand } from '../../src/news/doctor/doctor.commands.js';
import type { SourceReport } from '../../src/news/doctor/feed-doctor.service.js';
import { registerFeedCommands } from '../../src/news/reader/feeds/feeds.commands.js';
import { registerUpdaterCommands } from '../../src/news/updater/updater.commands.js';
import { rss } from '../support/feed-server.js';
import { LEVELS, NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { printedBy } from '../support/printed-by.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let admin: NewsClient;
let path: string;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  admin = new NewsClient(app.asAdmin(), 'v1-3');
  path = `/${(specs += 1)}.xml`;
});

function publish(...entries: string[]): void {
  const items = entries.map((title) => ({ title }));
  publisher.publish(path, rss({ title: 'The feed', link: publisher.url('/'), items }));
}

const update = (feed: FeedJson) => admin.update(user.credentials.userId, feed.id);
const examine = (query: Record<string, string | number>) =>
  ok<SourceReport>(admin.get('/doctor', query));
const explain = (url: string) => ok<AddressReport>(admin.get('/doctor', { url }));

describe('the feed doctor', () => {
  it('reports the result of each attempt, the decision, and the reason for the due date', async () => {
    publish('a');
    const feed = await news.subscribe(publisher.url(path));
    publish('b', 'a');
    await update(feed);
    await update(feed);
    publisher.fail(path, 503, { 'Retry-After': '7200' });
    await update(feed);

    const report = await examine({ feedId: feed.id });

    expect(report).toMatchObject({
      title: 'The feed',
      address: publisher.url(path),
      followers: 1,
      health: 'failing',
      errorsInRow: 1,
      lastError: expect.stringContaining('503'),
    });
    expect(report.attempts).toMatchObject([
      { outcome: 'failed', status: 503, message: expect.stringContaining('503') },
      { outcome: 'unchanged', status: 200, newItems: 0 },
      { outcome: 'read', status: 200, newItems: 1, changedItems: 0 },
      { outcome: 'read', status: 200, newItems: 1 },
    ]);
    const [latest] = report.attempts;
    expect(latest?.dueAtSeconds).toBe(report.due?.at);
    expect((report.due?.at ?? 0) - (latest?.atSeconds ?? 0)).toBeGreaterThanOrEqual(7199);
    expect(report.due).toMatchObject({ why: latest?.decision, beingFetched: false });
    expect(report.attempts[2]?.bytes).toBeGreaterThan(100);
  });

  it('stores the last document that could not be read', async () => {
    publish('a');
    const feed = await news.subscribe(publisher.url(path));
    publisher.publish(path, '<rss><channel><title>broken', { contentType: 'text/xml' });
    publisher.publish(path, 'no feed at all', { contentType: 'text/plain' });
    await update(feed);
    publish('a', 'b');
    await update(feed);

    const { failedDocument, health } = await examine({ feedId: feed.id });

    expect(health).toBe('healthy');
    expect(failedDocument).toMatchObject({
      contentType: 'text/plain',
      bytes: 14,
      beginning: 'no feed at all',
    });
  });

  it('fetches again on request', async () => {
    publish('a');
    const feed = await news.subscribe(publisher.url(path));
    publisher.fail(path, 500);
    await update(feed);
    publish('b', 'a');

    const { source } = await ok<{ source: SourceReport }>(
      admin.post('/doctor/retry', { feedId: feed.id }),
    );

    expect(source).toMatchObject({ health: 'healthy', lastError: null });
    expect(titles(await news.items())).toEqual(['b', 'a']);
  });

  it('explains an address before a subscription, and stores nothing', async () => {
    publish('a', 'b');
    publisher.redirect(`/from${path}`, path, 302);

    const { steps, source } = await explain(publisher.url(`/from${path}`));

    expect(steps.map(({ step, ok: fine }) => [step, fine])).toEqual([
      ['address', true],
      ['name', true],
      ['answer', true],
      ['document', true],
      ['decision', true],
    ]);
    expect(steps[2]?.text).toContain(`302 to ${publisher.url(path)}`);
    expect(steps[3]?.text).toContain('"The feed" with 2 entries');
    expect(source).toBeNull();
    const rows = await app.database.query('select 1 from source where url = $1', [
      publisher.url(`/from${path}`),
    ]);
    expect(rows).toEqual([]);
  });

  it('reports the step that fails: spelling, name, policy, server, document', async () => {
    const failing = async (url: string) => (await explain(url)).steps.find(({ ok: fine }) => !fine);
    publisher.fail(path, 403);
    publisher.publish(
      '/page',
      '<html><link rel="alternate" type="application/rss+xml" href="/x">',
      {
        contentType: 'text/html',
      },
    );

    expect(await failing('ftp://x.example/')).toMatchObject({ step: 'address' });
    expect(await failing('http://[::ffff:10.0.0.1]/')).toMatchObject({
      step: 'name',
      text: expect.stringContaining('refused'),
    });
    expect(await failing(publisher.url(path))).toMatchObject({
      step: 'answer',
      text: expect.stringContaining('403'),
    });
    expect(await failing(publisher.url('/page'))).toMatchObject({ step: 'document' });
    expect((await explain(publisher.url('/page'))).feeds).toEqual([publisher.url('/x')]);
  });

  it('shows no credentials, and queries only on request', async () => {
    publish('a');
    const secret = publisher.url(`${path}?token=s3cret`).replace('//', '//ada:pass@');
    const feed = await news.subscribe(secret);

    const shown = JSON.stringify(await examine({ feedId: feed.id }));
    const withQueries = JSON.stringify(await examine({ feedId: feed.id, showQueries: 'true' }));
    const address = JSON.stringify(await explain(secret));

    expect(shown).not.toMatch(/s3cret|ada|pass/);
    expect(withQueries).toMatch(/s3cret/);
    expect(withQueries).not.toMatch(/ada|pass@/);
    expect(address).not.toMatch(/s3cret|ada:|pass@/);
  });

  it.each(LEVELS)('is for administrators only, at %s', async (level) => {
    const ordinary = new NewsClient(user, level);

    expect((await ordinary.get('/doctor', { sourceId: 1 })).status).toBe(403);
    expect((await ordinary.post('/doctor/retry', { sourceId: 1 })).status).toBe(403);
  });

  it('answers 404 for unknown subjects, and 422 unless exactly one subject is given', async () => {
    expect((await admin.get('/doctor', { feedId: 999_999 })).status).toBe(404);
    expect((await admin.get('/doctor', { sourceId: 999_999 })).status).toBe(404);
    expect((await admin.post('/doctor/retry', { sourceId: 999_999 })).status).toBe(404);
    expect((await admin.get('/doctor')).status).toBe(422);
    expect((await admin.get('/doctor', { feedId: 1, sourceId: 1 })).status).toBe(422);
  });
});

describe('the commands for feeds', () => {
  async function gatefold(...args: string[]): Promise<string> {
    const program = new Command().exitOverride();
    const withApp: WithApp = (work) => work(app.inside);
    registerDoctorCommand(program, withApp);
    registerFeedCommands(program, withApp);
    registerUpdaterCommands(program, withApp);
    program.commands.forEach((command) => command.exitOverride());
    return printedBy(program, args);
  }

  it('explain a feed and an address in plain text', async () => {
    publish('a');
    const feed = await news.subscribe(publisher.url(path));
    publisher.publish(path, 'a bell \u0007 rings', { contentType: 'text/plain' });
    await update(feed);

    const failing = await gatefold('feed:doctor', String(feed.id));
    publish('a');
    const retried = await gatefold('feed:doctor', String(feed.id), '--retry');
    const address = await gatefold('feed:doctor', publisher.url(path));

    expect(failing).toMatch(/health +failing, 1 errors in a row/);
    expect(failing).toContain('| a bell   rings');
    expect(retried).toMatch(/health +healthy/);
    expect(address).toMatch(/ok +document +"The feed" with 1 entries/);
  });

  it('manage folders and feeds of a user, and update them', async () => {
    const { userId } = user.credentials;
    publish('a');
    await gatefold('news:folder:add', userId, 'Science');
    const [folder] = await news.folders();
    await gatefold('news:feed:add', userId, publisher.url(path), '--folder', String(folder?.id));
    const [feed] = (await news.feedList()).feeds;
    expect(feed).toMatchObject({ folderId: folder?.id, title: 'The feed' });
    expect(await gatefold('news:feed:list', userId)).toContain(publisher.url(path));
    expect(await gatefold('news:folder:list', userId)).toContain('Science');

    publish('b', 'a');
    await gatefold('news:updater:before-update');
    await gatefold('news:updater:update-feed', String(feed?.id), userId);
    await news.change('/items/read', { newestItemId: 999 });
    await gatefold('news:updater:after-update', '200');
    expect(titles(await news.items())).toEqual(['b', 'a']);

    await gatefold('news:feed:delete', userId, String(feed?.id));
    await gatefold('news:folder:delete', userId, String(folder?.id));
    expect([await news.folders(), (await news.feedList()).feeds]).toEqual([[], []]);
  });

  it('refuse unknown users instead of creating readers', async () => {
    await expect(gatefold('news:folder:add', 'nobody-at-all', 'X')).rejects.toThrow('no user');
    expect(
      await app.database.query("select 1 from reader where user_id = 'nobody-at-all'"),
    ).toEqual([]);
  });
});
