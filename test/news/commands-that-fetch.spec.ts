import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InstallationChecks } from '../../src/common/ports/installation-checks.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { addDueSources } from '../support/due-sources.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { NewsClient, titles, type FeedJson } from '../support/news-client.js';
import { runCommand } from '../support/run-command.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { urlOfDatabase } from '../support/test-database.js';

const DAY = 86_400;
const ALLOWED = { GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8' };

let app: TestApp;
let publisher: FeedServer;
let url: string;
let dataDir: string;
let user: TestUser;
let news: NewsClient;
let userId: string;
let specs = 0;
let path: string;

beforeAll(async () => {
  dataDir = await temporaryFolder('commands');
  [app, publisher] = await Promise.all([
    startApp({ GATEFOLD_DATA_DIR: dataDir, ...ALLOWED }),
    startFeedServer(),
  ]);
  const [row] = await app.database.query<{ name: string }>('select current_database() as name');
  url = urlOfDatabase(row?.name ?? '');
});
afterAll(() => Promise.all([app.stop(), publisher.close()]));
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  ({ userId } = user.credentials);
  path = `/${(specs += 1)}`;
});

async function follow(name: string): Promise<FeedJson> {
  const at = `${path}/${name}.xml`;
  publisher.publish(at, rss({ title: name, link: publisher.url('/'), items: [{ title: 'item' }] }));
  return news.subscribe(publisher.url(at));
}

const gatefold = async (words: readonly string[], settings: Record<string, string> = ALLOWED) => {
  const { code, output, complaints } = await runCommand(words, {
    DATABASE_URL: url,
    GATEFOLD_DATA_DIR: dataDir,
    ...settings,
  });
  return { code, output: output.toString(), complaints };
};

const state = () =>
  app.database.query(
    `select error_count, last_error, fetched_at, due_at
       from source join source_schedule on source_id = source.id order by source.id`,
  );

describe('a command that fetches', () => {
  it('is refused with other settings than the service has, and changes nothing', async () => {
    const { id } = await follow('a');
    const before = await state();
    const asked = publisher.requests(`${path}/a.xml`).length;

    for (const words of [
      ['news:updater:update-user', userId],
      ['news:updater:update-feed', String(id), userId],
      ['news:feed:add', userId, publisher.url(`${path}/a.xml`)],
      ['feed:doctor', String(id), '--retry'],
    ]) {
      const { code, output, complaints } = await gatefold(words, {
        GATEFOLD_OUTGOING_PROXY: 'http://ada:secret@proxy.example:3128',
      });
      expect([words[0], code, output]).toEqual([words[0], 1, '']);
      expect(complaints).toBe(
        'The service has GATEFOLD_FETCH_ALLOW_PRIVATE=127.0.0.0/8 and GATEFOLD_OUTGOING_PROXY=. ' +
          'Set the same here; nothing was fetched.\n',
      );
    }

    expect(await state()).toEqual(before);
    expect(publisher.requests(`${path}/a.xml`)).toHaveLength(asked);
  });

  it('says which feeds failed and why, how many, and ends with 1', async () => {
    await follow('good');
    const bad = await follow('bad');
    await follow('busy');
    publisher.fail(`${path}/bad.xml`, 500);
    publisher.fail(`${path}/busy.xml`, 429, { 'Retry-After': String(DAY) });
    const first = await gatefold(['news:updater:update-user', userId]);
    const second = await gatefold(['news:updater:update-user', userId]);
    const alone = await gatefold(['news:updater:update-feed', String(bad.id), userId]);

    const failure = `Feed ${bad.id}, "bad": The server at 127.0.0.1:${publisher.port} has an internal problem (status 500).`;
    expect(first.code).toBe(1);
    expect(first.output).toContain(failure);
    expect(first.output).toContain(`Updated 1 feeds of user "${userId}", 2 failed, 0 rest`);
    expect(second.output).toContain(failure);
    expect(second.output).toContain(`Updated 1 feeds of user "${userId}", 1 failed, 1 rest`);
    expect([alone.code, alone.output]).toEqual([1, expect.stringContaining('status 500')]);
    publisher.publish(`${path}/bad.xml`, rss({ title: 'bad', items: [] }));
    const repaired = await gatefold(['news:updater:update-feed', String(bad.id), userId]);
    expect([repaired.code, repaired.output]).toEqual([
      0,
      `Updated 1 feeds of user "${userId}", 0 failed, 0 rest as their publishers ask.\n`,
    ]);
  });
});

describe('the clean-up', () => {
  it('removes as many old read items as it is told', async () => {
    const { id } = await follow('a');
    publisher.publish(`${path}/a.xml`, rss({ title: 'a', items: [{ title: 'newer' }] }));
    await gatefold(['news:updater:update-feed', String(id), userId]);
    await news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });

    const { code } = await gatefold(['news:updater:after-update', '1', '--without-grace']);

    expect(code).toBe(0);
    expect(titles(await news.items())).toEqual(['newer']);
  });
});

describe('a feed that the settings of the service refuse', () => {
  it('shows that, counts no further errors, and is tried again soon; the doctor names the setting', async () => {
    const [id = 0] = await addDueSources(app, userId, ['http://10.0.0.1/feed.xml']);
    const refresh = () => app.inside(SourceRefresher).refreshNow(id);
    const read = async () => {
      const [row] = await app.database.query<{ count: number; error: string; seconds: number }>(
        `select error_count as count, last_error as error,
                extract(epoch from due_at - now())::int as seconds
           from source join source_schedule on source_id = id where id = $1`,
        [id],
      );
      return row;
    };
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await refresh();
    }

    expect(await read()).toMatchObject({
      count: 1,
      error: expect.stringContaining('GATEFOLD_FETCH_ALLOW_PRIVATE'),
    });
    expect((await read())?.seconds).toBeLessThanOrEqual(3700);

    await addDueSources(
      app,
      userId,
      Array.from({ length: 12 }, (_, n) => `http://10.0.0.${n + 2}/feed.xml`),
    );
    await app.database.query(
      `update source set error_count = 1, last_error = (select last_error from source where id = $1)
        where url like 'http://10.%'`,
      [id],
    );
    const feeds = (await app.inside(InstallationChecks).run()).find(
      ({ subject }) => subject === 'Feeds',
    );
    expect(feeds?.findings).toContainEqual({
      state: 'warning',
      text: expect.stringMatching(/^\d+ of \d+ feeds fail\.$/),
      advice: 'Check GATEFOLD_FETCH_ALLOW_PRIVATE; "gatefold feed:doctor" explains one feed.',
    });
  });
});
