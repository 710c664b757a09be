import { beforeAll, describe, expect, it } from '@jest/globals';
import { documentOf, entryNamed } from '../support/histories/document.js';
import { historyOf } from '../support/histories/history.js';
import { Publisher } from '../support/histories/publisher.js';
import { histories } from '../support/long.js';
import { NewsClient, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

/* A few histories of identity-deliveries.spec.ts with real fetches and clients. */

const HISTORIES = histories(4, 24);
const ROUNDS = 4;
const FIRST_SEED = 2_000_000;
const SEEDS = Array.from({ length: HISTORIES }, (_, n) => FIRST_SEED + n);

const { app, publisher: server } = await sharedService();
let early: TestUser;
let late: TestUser;
beforeAll(async () => {
  [early, late] = [await app.signIn(), await app.signIn()];
});

describe('clients of an erratic publisher', () => {
  it.each(SEEDS)('get each entry once, in its latest version: history %i', async (seed) => {
    const path = `/${seed}.xml`;
    const publisher = new Publisher();
    const due = new Map<TestUser, Set<number>>();
    const feeds = new Map<TestUser, FeedJson>();
    for (const [round, changes] of historyOf(seed, ROUNDS).rounds.entries()) {
      changes.forEach((change) => publisher.change(change));
      server.publish(path, documentOf(publisher.listed, 'rss', round));
      const [feed] = feeds.values();
      if (feed) {
        await new NewsClient(app.asAdmin(), 'v1-3').update(early.credentials.userId, feed.id);
      }
      for (const user of round === 0 ? [early] : round === 2 ? [late] : []) {
        feeds.set(user, await new NewsClient(user, 'v1-3').subscribe(server.url(path)));
        due.set(user, new Set());
      }
      publisher.noteFetch();
      due.forEach((entries) => publisher.listed.forEach(({ entry }) => entries.add(entry)));
    }

    for (const [user, { id }] of feeds) {
      const items = await new NewsClient(user, 'v1-3').items({ type: 0, id });
      const shown = items.map(({ author, title, body, url }) => {
        return { entry: entryNamed(author), title, body, url };
      });
      const expected = [...(due.get(user) ?? [])].map((entry) => {
        const { title, body, link } = publisher.fetched.get(entry) ?? {};
        return { entry, title, body: body ?? '', url: link };
      });
      expect(shown.toSorted((a, b) => a.entry - b.entry)).toEqual(
        expected.toSorted((a, b) => a.entry - b.entry),
      );
    }
  });
});
