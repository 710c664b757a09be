/**
 * `node --import ./test/support/run-typescript.mjs test/imports-through-kills.ts [kills] [seed]`: a file of another
 * reader is imported and undone, and the serving process is killed at random moments. In the end each article is there
 * once, with its star and label, the oldest first; after the undoing, none is.
 */
import assert from 'node:assert/strict';
import { freshRss, Imports } from './support/imports.js';
import { ok } from './support/news-client.js';
import { throughKills } from './support/through-kills.js';
import { until } from './support/until.js';

const ARTICLES = 3000;
const LONGEST_PAUSE_MS = 1500;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const ENDED_WITHIN_SECONDS = 300;
// So slowly that most kills meet a step.
const SETTINGS = { GATEFOLD_IMPORT_ITEMS_PER_MINUTE: '30000' };

await throughKills(
  6,
  async ({ rounds, readers, query, kill }) => {
    const [reader] = await readers(1);
    assert.ok(reader);
    const client = new Imports(reader.news);
    const entries = Array.from({ length: ARTICLES }, (_, n) => ({
      title: `Article ${n}`,
      guid: `guid-${n}`,
      body: `<p>Text ${n}</p>`,
      published: 1_600_000_000 + n,
      starred: true,
      read: n % 2 === 0,
      labels: ['Imported'],
      feed: { url: `https://gone.example/${n % 3}`, title: `Gone ${n % 3}` },
    }));
    const { id } = await client.read(freshRss(entries.toReversed()));
    const killed = async () => {
      for (let round = 0; round < rounds; round += 1) {
        await kill(LONGEST_PAUSE_MS);
      }
      const isOver = async () => !['running', 'undoing'].includes((await client.one(id)).state);
      await until('the end of the import', isOver, ENDED_WITHIN_SECONDS);
      return client.one(id);
    };

    await client.start(id);
    const done = await killed();
    const titles = await query<{
      title: string;
      unread: boolean;
      starred: boolean;
      labels: number;
    }>(
      `select article.title, unread, starred,
              (select count(*)::int from item_label where item_id = item.id) as labels
         from item join article on article.id = item.article_id order by item.id`,
    );
    assert.equal(done.state, 'done');
    assert.equal(done.outcome['stored'], ARTICLES);
    assert.deepEqual(
      titles,
      entries.map(({ title, read }) => ({ title, unread: !read, starred: true, labels: 1 })),
    );

    await ok(reader.news.post(`/imports/${id}/undo`));
    await killed();
    const left = await query(
      `select (select count(*)::int from item) as items, (select count(*)::int from item_label) as labels,
              (select count(*)::int from subscription) as feeds, (select count(*)::int from rule_effect) as effects`,
    );
    assert.deepEqual(left, [{ items: 0, labels: 0, feeds: 0, effects: 0 }]);
    return `${2 * rounds} kills: ${ARTICLES} articles imported, each once, and undone`;
  },
  SETTINGS,
);
