import { beforeEach, describe, expect, it } from '@jest/globals';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { ReaderClientsRepository } from '../../src/news/reader/delivery/reader-clients.repository.js';
import { READER_STORIES } from '../../src/news/reader/stories/story-jobs.js';
import { arrivalOf, ARRIVALS } from '../../src/news/sources/articles/arrivals.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type FeedJson, type ItemJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { statementsDuring } from '../support/statements.js';
import { until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher();

type Item = ItemJson & { readonly duplicateOf?: number };

/** A feed of a publisher, and its entries, the newest first. */
interface Published {
  readonly path: string;
  readonly feed: FeedJson;
  readonly entries: { title: string; body: string; link: string }[];
}

let news: NewsClient;
let specs = 0;
/** Of the reader that was made last. */
let userId: string;

beforeEach(async () => {
  specs += 1;
  news = await aReader();
});

async function aReader(isOn = true): Promise<NewsClient> {
  const user = await app.signIn();
  ({ userId } = user.credentials);
  const client = new NewsClient(user, 'v1-3');
  if (isOn) {
    await ok(client.put('/stories', { once: true }));
  }
  return client;
}

function put({ path, entries }: Omit<Published, 'feed'>): void {
  const items = entries.map((entry) => ({ ...entry, guid: `${path} ${entry.title}` }));
  publisher.publish(path, rss({ title: path, link: publisher.url('/'), items }));
}

async function follow(client: NewsClient, name: string): Promise<Published> {
  const path = `/${specs}-${name}`;
  const entries = [
    { title: `Welcome to ${name}`, body: `<p>${name}</p>`, link: publisher.url(path) },
  ];
  put({ path, entries });
  return { path, feed: await client.subscribe(publisher.url(path)), entries };
}

const TEXT = `The council of the harbour town has decided by a large majority that the old lighthouse will be
  repaired before winter, after three years of debate about its costs, and that the keeper's cottage beside it
  becomes a small museum which schools may visit without paying.`;

/** An article of the harbour's lighthouse, as one publisher has it. */
const theStory = (
  of: string,
  title = 'Council decides to repair the old lighthouse before winter',
) => ({
  title,
  body: `<p>${TEXT}</p>`,
  link: `https://${of}.example/${specs}/lighthouse-repaired`,
});

async function publish(to: Published, ...added: readonly Published['entries'][number][]) {
  to.entries.unshift(...added);
  put(to);
  await app.database.query('update source_schedule set due_at = now()');
  await app.inside(UpdateCycle).fetchDue();
}

/** Waits until stories are sought and marked. */
async function settled(): Promise<void> {
  await until('the end of work on stories', async () => {
    const rows = await app.database.query(
      `select from job.job where name in ('news-arrival', 'news-stories', 'news-stories-of-reader')
          and state < 'completed'`,
    );
    return rows.length === 0;
  });
}

/** The items of the story, oldest first. */
async function ofStory(client = news): Promise<Item[]> {
  const items = (await client.items({ type: 3 })) as Item[];
  return items.filter(({ title }) => title?.includes('lighthouse')).toSorted((a, b) => a.id - b.id);
}

const unread = (items: readonly Item[]) => items.map((item) => item.unread);

/** Two feeds that the user follows, whose items are there. */
const two = async () => [await follow(news, 'one'), await follow(news, 'other')] as const;

describe('a story of two feeds', () => {
  it('is unread once, and the copy names the item that shows it', async () => {
    const [one, other] = [await follow(news, 'one'), await follow(news, 'other')];
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();

    const [first, second] = await ofStory();

    expect(first).toMatchObject({ unread: true });
    expect(first).not.toHaveProperty('duplicateOf');
    expect(second).toMatchObject({ unread: false, duplicateOf: first?.id });
  });

  it('stays as it is for a reader without the switch', async () => {
    const stranger = await aReader(false);
    const [one, other] = [await follow(news, 'one'), await follow(news, 'other')];
    await stranger.subscribe(publisher.url(one.path));
    await stranger.subscribe(publisher.url(other.path));
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();

    const items = await ofStory(stranger);

    expect(unread(items)).toEqual([true, true]);
    expect(items.some((item) => 'duplicateOf' in item)).toBe(false);
  });

  it('is marked when it is recognised after the delivery, which clients learn as changes', async () => {
    const [one, other] = [await follow(news, 'one'), await follow(news, 'other')];
    await publish(one, theStory('one'));
    await settled();
    await ofStory();
    await publish(other, theStory('other'));
    // A client comes before the job, or after it.
    await ofStory();
    const since = (await ofStory())[0]?.lastModified ?? 0;
    await settled();

    const changed = (await news.changedItems(since)) as Item[];

    expect(changed.find(({ feedId }) => feedId === other.feed.id)).toMatchObject({
      unread: false,
    });
  });

  it('is shown twice again when stories are switched off, but for what the user touched', async () => {
    const [one, other, third] = [
      await follow(news, 'one'),
      await follow(news, 'other'),
      await follow(news, 'third'),
    ];
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await publish(third, theStory('third'));
    await settled();
    const [first, , last] = await ofStory();
    expect(unread(await ofStory())).toEqual([true, false, false]);
    await ok(news.post(`/items/${last?.id}/star`));

    await ok(news.put('/stories', { once: false }));
    await settled();

    const items = await ofStory();
    expect(unread(items)).toEqual([true, true, false]);
    expect(items.some((item) => 'duplicateOf' in item)).toBe(false);

    await ok(news.put('/stories', { once: true }));
    await settled();
    const again = await ofStory();
    expect(again.map(({ id, unread, duplicateOf }) => ({ id, unread, duplicateOf }))).toEqual([
      { id: first?.id, unread: false, duplicateOf: last?.id },
      { id: items[1]?.id, unread: false, duplicateOf: last?.id },
      { id: last?.id, unread: false, duplicateOf: undefined },
    ]);
  });

  it('stays in a feed that is always shown', async () => {
    const [one, other] = [await follow(news, 'one'), await follow(news, 'other')];
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    expect(unread(await ofStory())).toEqual([true, false]);

    await ok(news.put(`/feeds/${other.feed.id}/stories`, { alwaysShown: true }));
    await settled();

    expect(unread(await ofStory())).toEqual([true, true]);
  });

  it('is sought again once, however often the same is chosen', async () => {
    const { feed } = await follow(news, 'one');
    await settled();
    const { id } = await readerOf(app, userId);
    const jobs = async () => {
      const rows = await app.database.query(
        `select from job.job where name = 'news-stories-of-reader' and singleton_key = $1`,
        [String(id)],
      );
      return rows.length;
    };
    const before = await jobs();

    for (let n = 0; n < 10; n += 1) {
      await ok(news.put('/stories', { once: true }));
      await ok(news.put(`/feeds/${feed.id}/stories`, { alwaysShown: true }));
    }

    expect(await jobs()).toBe(before + 1);
  });

  it('becomes unread in the next feed when that of the unread one is left', async () => {
    const [one, other, third] = [
      await follow(news, 'one'),
      await follow(news, 'other'),
      await follow(news, 'third'),
    ];
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await publish(third, theStory('third'));
    await settled();

    await ok(news.delete(`/feeds/${one.feed.id}`));

    const [second, last] = await ofStory();
    expect(second).toMatchObject({ unread: true, feedId: other.feed.id });
    expect(second).not.toHaveProperty('duplicateOf');
    expect(last).toMatchObject({ unread: false, duplicateOf: second?.id });
  });

  it('stays unread when the feed of its copy was removed and restored, and a third one brings it', async () => {
    const [one, other] = await two();
    const third = await follow(news, 'third');
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    const [first] = await ofStory();

    await ok(news.call('DELETE', `/feeds/${other.feed.id}`, { query: { undoable: true } }));
    await ok(news.post(`/feeds/${other.feed.id}/restore`));
    await publish(third, theStory('third'));
    await settled();

    const items = await ofStory();
    expect(unread(items)).toEqual([true, false, false]);
    expect(items.map(({ duplicateOf }) => duplicateOf)).toEqual([undefined, first?.id, first?.id]);

    await ok(news.delete(`/feeds/${one.feed.id}`));
    expect(unread(await ofStory())).toEqual([true, false]);
  });

  it('is unread once also when one synchronisation brings both', async () => {
    const [one, other] = await two();
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    await news.feedList();
    const third = await follow(news, 'third');
    const fourth = await follow(news, 'fourth');
    await publish(third, theStory('third'));
    await publish(fourth, theStory('fourth'));
    await settled();

    expect(unread(await ofStory())).toEqual([true, false, false, false]);
  });

  it('is not taken for read because a rule hid one of its items', async () => {
    const [one, other] = await two();
    await ok(
      news.post('/rules', {
        query: 'lighthouse',
        scope: { everything: false, feedIds: [one.feed.id] },
        actions: [{ type: 'hide' }],
      }),
    );
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();

    expect(unread(await ofStory())).toEqual([false, true]);
    expect((await ofStory()).some((item) => 'duplicateOf' in item)).toBe(false);
  });

  it('is recognised and marked the same when its jobs are repeated', async () => {
    const [one, other] = await two();
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    const before = await ofStory();

    const sources = await app.database.query<{ id: number; rev: number }>(
      'select id, rev from source where url like $1',
      [`%/${specs}-%`],
    );
    await app.inside(JobQueue).send(
      ARRIVALS,
      sources.map(({ id, rev }) => arrivalOf(id, 0, rev)),
    );
    await settled();

    expect(await ofStory()).toEqual(before);
  });

  it('waits for its marks while a client is between pages', async () => {
    const client = await aReader(false);
    const [one, other] = [await follow(client, 'one'), await follow(client, 'other')];
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    expect(unread(await ofStory(client))).toEqual([true, true]);
    const { id } = await readerOf(app, userId);
    await app.inside(ReaderClientsRepository).notePaging(id, 'another client', true);

    await ok(client.put('/stories', { once: true }));
    const tryAgain = async () => {
      const rows = await app.database.query(
        `update job.job set start_after = now()
          where name = 'news-stories-of-reader' and state = 'retry' returning 1`,
      );
      app.inside(JobQueue).wake(READER_STORIES);
      return rows.length > 0;
    };
    await until('a first attempt', tryAgain);
    expect(unread(await ofStory(client))).toEqual([true, true]);

    await app.inside(ReaderClientsRepository).notePaging(id, 'another client', false);
    // Attempts may have come before, and then the next one is far.
    await until('the mark', async () => {
      await tryAgain();
      return unread(await ofStory(client)).includes(false);
    });
    await settled();
    expect(unread(await ofStory(client))).toEqual([true, false]);
  });

  it('is found by is:duplicate, and refused as a condition of rules', async () => {
    const [one, other] = await two();
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    const [, copy] = await ofStory();

    const { rows } = await ok<{ rows: { id: number; duplicateOf?: number }[] }>(
      news.get('/search/rows', { query: 'is:duplicate', type: 3, timeZone: 'UTC' }),
    );
    expect(rows).toMatchObject([{ id: copy?.id, duplicateOf: copy?.duplicateOf }]);
    const rule = { query: 'is:duplicate', actions: [{ type: 'star' }] };
    expect((await news.post('/rules', rule)).status).toBe(422);
  });

  it('is named with its copies in the row that shows it', async () => {
    const [one, other] = await two();
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    const [first, copy] = await ofStory();

    const { rows } = await news.rows({ type: 3 });

    expect(rows.find(({ id }) => id === first?.id)).toMatchObject({
      copies: [{ id: copy?.id, feedId: other.feed.id, unread: false }],
    });
    expect(rows.find(({ id }) => id === copy?.id)).toMatchObject({ duplicateOf: first?.id });
    expect(rows.filter((row) => 'copies' in row)).toHaveLength(1);
  });
});

describe('the choices', () => {
  it("are those of the caller: others have their own, and nobody has another one's feeds", async () => {
    const stranger = await aReader(false);
    const one = await follow(news, 'one');

    expect(
      (await stranger.put(`/feeds/${one.feed.id}/stories`, { alwaysShown: true })).status,
    ).toBe(404);
    expect(await ok(stranger.get('/stories'))).toEqual({ once: false, alwaysShownFeeds: [] });
    expect(await ok(news.put(`/feeds/${one.feed.id}/stories`, { alwaysShown: true }))).toEqual({
      once: true,
      alwaysShownFeeds: [one.feed.id],
    });
    const nobody = app.asStranger();
    const path = '/index.php/apps/news/api/v1-3/stories';
    expect((await nobody.get(path)).status).toBe(401);
    expect((await nobody.call('PUT', path, { json: { once: true } })).status).toBe(401);
    expect((await news.put('/stories', {})).status).toBe(422);
  });

  it('cost a reader without them nothing at a delivery, and others one statement while nothing is twice', async () => {
    const delivery = async (client: NewsClient) => {
      const sent = await statementsDuring(app.database, () => client.feedList());
      return sent.filter((sql) => /article_story|rule_effect|duplicate_of/.test(sql)).length;
    };
    const stranger = await aReader(false);
    const [one, other] = await two();
    await stranger.subscribe(publisher.url(one.path));
    await stranger.subscribe(publisher.url(other.path));
    await settled();
    await publish(one, { title: 'Nothing', body: '', link: 'https://one.example/nothing' });
    await settled();

    expect(await delivery(stranger)).toBe(0);
    expect(await delivery(news)).toBe(1);
    await publish(one, theStory('one'));
    await publish(other, theStory('other'));
    await settled();
    expect(await delivery(stranger)).toBe(0);
  });
});
