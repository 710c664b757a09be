import { beforeEach, describe, expect, it } from '@jest/globals';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type FeedJson, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
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

beforeEach(async () => {
  specs += 1;
  news = await aReader();
});

async function aReader(isOn = true): Promise<NewsClient> {
  const client = new NewsClient(await app.signIn(), 'v1-3');
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
});
