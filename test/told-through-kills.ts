/**
 * `node --import ./test/support/run-typescript.mjs test/told-through-kills.ts [rounds] [seed]`: articles are
 * published that rules tell by a webhook, and the serving process is killed at random moments between the fetch
 * and the notice. In the end everybody was told of each article: once, or again with the same id.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { rss } from './support/feed-server.js';
import { ok, type NewsClient } from './support/news-client.js';
import { startNoticeReceiver } from './support/notice-receiver.js';
import { throughKills } from './support/through-kills.js';
import { until } from './support/until.js';

const READERS = 5;
/** From a fetch that is due until the last notice, mostly. */
const LONGEST_PAUSE_MS = 3000;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const TOLD_WITHIN_SECONDS = 240;

const receiver = await startNoticeReceiver();
await throughKills(12, async ({ rounds, publisher, readers, query, makeDue, kill }) => {
  const titles: string[] = [];
  const publish = (title: string) => {
    titles.unshift(title);
    const items = titles.map((one) => ({ title: one, guid: one, pubDate: new Date() }));
    publisher.publish('/feed', rss({ title: 'Quakes', items }));
  };
  publish('Beginning');
  for (const { userId, news } of await readers(READERS)) {
    await news.subscribe(publisher.url('/feed'));
    await toBeTold(news, receiver.url(`/${userId}`));
  }
  for (let round = 1; round <= rounds; round += 1) {
    publish(`Quake ${round}`);
    await makeDue();
    await kill(LONGEST_PAUSE_MS);
  }
  await until('all notices', () => idsOf().size >= rounds * READERS, TOLD_WITHIN_SECONDS);
  // Repeats and what is told twice would come now.
  await pause(5000);

  const ids = idsOf();
  const notices = await query<{ total: number; sent: number }>(
    `select count(*)::int as total, count(*) filter (where state = 'sent')::int as sent from notice`,
  );
  assert.deepEqual(notices, [{ total: rounds * READERS, sent: rounds * READERS }]);
  assert.equal(ids.size, rounds * READERS, 'Notices with as many ids as rules and articles.');
  for (const [id, contents] of ids) {
    assert.equal(contents.size, 1, `The notice ${id} was about several things.`);
  }
  assert.equal(new Set([...ids.values()].flatMap((one) => [...one])).size, rounds * READERS);
  const repeats = receiver.received.length - ids.size;
  return `${rounds} kills: ${ids.size} notices, each once; ${repeats} came again with the same id`;
}).finally(() => receiver.close());

/** What was told, by the id of its notice. */
function idsOf(): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { path, headers, json } of receiver.received) {
    const id = String(headers['webhook-id']);
    const about = ids.get(id) ?? new Set();
    const { item } = json['data'] as { item?: { title?: string } };
    ids.set(id, about.add(`${path} ${item?.title}`));
  }
  return ids;
}

async function toBeTold(news: NewsClient, address: string): Promise<void> {
  await ok(news.post('/channels', { kind: 'webhook', form: 'standard', address }));
  await ok(
    news.put('/notices/settings', {
      quiet: null,
      timeZone: 'UTC',
      notWhileReading: false,
      mostPerRuleAndHour: 1000,
    }),
  );
  const actions = [{ type: 'notify', urgent: false }];
  await ok(news.post('/rules', { name: 'Quakes', query: 'intitle:quake', actions }));
}
