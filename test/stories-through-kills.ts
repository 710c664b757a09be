/**
 * `node --import ./test/support/run-typescript.mjs test/stories-through-kills.ts [rounds] [seed]`: the same stories
 * are published by two feeds at once, and the serving process is killed at random moments between the fetch, the
 * job that recognises them, and the marks. In the end every reader has each story unread once.
 */
import assert from 'node:assert/strict';
import { rss } from './support/feed-server.js';
import { ok, type ItemJson } from './support/news-client.js';
import { throughKills } from './support/through-kills.js';
import { until } from './support/until.js';

const READERS = 4;
const FEEDS = ['/one', '/other'];
const LONGEST_PAUSE_MS = 2500;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const DONE_WITHIN_SECONDS = 300;

type Item = ItemJson & { readonly duplicateOf?: number };

await throughKills(10, async ({ rounds, random, publisher, readers, makeDue, kill }) => {
  const titles: string[] = [];
  const publish = (title: string) => {
    titles.unshift(title);
    for (const path of FEEDS) {
      const items = titles.map((one) => ({ title: one, guid: path + one, pubDate: new Date() }));
      const link = `https://${path.slice(1)}.example`;
      publisher.publish(path, rss({ title: path, link, items }));
    }
  };
  publish('What these feeds are about, and why they agree');
  const people = await readers(READERS);
  for (const { news } of people) {
    await ok(news.put('/stories', { once: true }));
    for (const path of FEEDS) {
      await news.subscribe(publisher.url(path));
    }
  }
  for (let round = 1; round <= rounds; round += 1) {
    const word = String(round).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
    publish(
      `Keeper${word} of the${word} lighthouse${word} leaves${word} after${word} years${word}`,
    );
    await makeDue();
    const asked = random.chance(0.5) ? people[0]?.news.feedList() : undefined;
    await Promise.all([asked?.catch(() => {}), kill(LONGEST_PAUSE_MS)]);
  }
  const lists = () =>
    Promise.all(people.map(async ({ news }) => (await news.items({ type: 3 })) as Item[]));
  const isDone = (items: readonly Item[]) =>
    items.length === titles.length * FEEDS.length &&
    items.filter(({ unread }) => unread).length === titles.length;
  await until('each story once', async () => (await lists()).every(isDone), DONE_WITHIN_SECONDS);
  for (const items of await lists()) {
    for (const [title, ofStory] of Map.groupBy(items, (item) => item.title)) {
      const keeper = ofStory.find(({ unread }) => unread);
      const copies = ofStory.filter(({ unread }) => !unread);
      assert.deepEqual(
        copies.map(({ duplicateOf }) => duplicateOf),
        [keeper?.id],
        title ?? '',
      );
    }
  }
  return `${rounds} kills: each of ${titles.length} stories once for all readers`;
});
