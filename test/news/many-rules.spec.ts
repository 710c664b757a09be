import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aServiceProcess, type ServiceProcess } from '../support/a-service-process.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../support/followed-sources.js';
import { longestBlock, TELLS_BLOCKS } from '../support/longest-block.js';
import { NewsClient, ok } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/*
 * One account with as many rules as it may have. What the main thread computes for it at once is what the requests
 * of everybody else wait for.
 */

const MOST_RULES = 1000;
const MOST_CHARACTERS = 150_000;
const MOST_COMPUTING_MS = 50;
const ROUNDS = 2;
const ARTICLES = 20;

let database: TestDatabase;
let app: TestApp;
let service: ServiceProcess;
let news: NewsClient;
let other: NewsClient;
let feed: FollowedSource;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startApp({ DATABASE_URL: database.url });
  const [user, stranger] = [await app.signIn(), await app.signIn()];
  feed = (await followSources(app, user.credentials.userId, 1))[0] as FollowedSource;
  service = await aServiceProcess(database.url, { GATEFOLD_SCHEDULER: 'off' }, TELLS_BLOCKS);
  const clientOf = ({ credentials }: typeof user) =>
    new NewsClient({ baseUrl: service.url, credentials }, 'v1-3');
  [news, other] = [clientOf(user), clientOf(stranger)];
});
afterAll(async () => {
  await service.kill();
  await app.stop();
  await database.drop();
});

/** Conditions of words, of which each is a rule. */
const rules = (count: number, condition: (n: number) => string) => ({
  rules: Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    query: condition(n),
    actions: n % 2 === 0 ? [{ type: 'read' }] : [{ type: 'notify', urgent: false }],
  })),
});

const inAll = (n: number) => `intitle:one${n} OR other${n} -third${n}`.padEnd(40, 'x').slice(0, 40);

interface Imported {
  readonly imported: number;
  readonly problems: readonly { readonly reason: string }[];
}

const importRules = (file: object) => ok<Imported>(news.post('/rules/import', file));

/**
 * The longest time of computing while work is done and another user asks for their feeds; it has been done before.
 * Of the better round: one alone may have met code that was compiled anew.
 */
async function computingMs(work: (round: number) => Promise<unknown>): Promise<number> {
  await longestBlock(service);
  const rounds: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    await Promise.all([work(round), other.feedList()]);
    rounds.push((await longestBlock(service)).computingMs);
  }
  return Math.min(...rounds);
}

/** Articles with texts that no condition matches. */
async function publish(round: number): Promise<void> {
  const guids = Array.from({ length: ARTICLES }, (_, n) => `${round} ${n}`);
  await publishArticles(
    app,
    feed.sourceId,
    guids.map((guid) => ({ guid, pubDateSeconds: Math.floor(Date.now() / 1000) })),
  );
  const text = Array.from({ length: 700 }, (_, n) => `sentence${n} speaks of this and that`);
  await app.database.query(
    `insert into article_body (source_id, article_id, html)
     select source_id, id, $3 from article where source_id = $1 and guid = any($2::text[])`,
    [feed.sourceId, guids, `<p>${text.join('. ')}</p>`],
  );
}

/** @returns how many articles are unread */
async function arrive(round: number): Promise<number> {
  await publish(round);
  return (await news.feedList()).feeds[0]?.unreadCount ?? 0;
}

describe('as many rules as an account may have', () => {
  it('hold up nobody else when they are imported, listed and exported', async () => {
    const file = rules(MOST_RULES, inAll);
    expect(await importRules(file)).toEqual({ imported: MOST_RULES, problems: [] });
    const { status, json } = await news.post('/rules', { query: 'a', actions: [{ type: 'star' }] });
    expect([status, json]).toMatchObject([
      422,
      { message: expect.stringContaining(`${MOST_RULES} rules per user`) },
    ]);

    expect(await computingMs(() => importRules(file))).toBeLessThan(MOST_COMPUTING_MS);
    for (const path of ['/rules', '/rules/export']) {
      await ok(news.get(path));
      expect(await computingMs(() => ok(news.get(path)))).toBeLessThan(MOST_COMPUTING_MS);
    }
  });

  it('hold up nobody else when they are asked about what arrives', async () => {
    await arrive(0);
    const longest = await computingMs(arrive);

    expect(await arrive(ROUNDS + 1)).toBe((ROUNDS + 2) * ARTICLES);
    expect(longest).toBeLessThan(MOST_COMPUTING_MS);
  });

  it('hold up nobody else with the longest conditions, of which most are refused', async () => {
    // 13 characters a word.
    const long = rules(200, (n) =>
      Array.from(
        { length: 1230 },
        (_, word) => `word${10_000 + ((n * 1230 + word) % 89_999)}`,
      ).join(' OR '),
    );
    await app.database.query('delete from rule');
    const { imported, problems } = await importRules(long);

    const fitting = Math.floor(MOST_CHARACTERS / (1230 * 13));
    expect([imported, problems.length]).toEqual([fitting, 200 - fitting]);
    expect(problems[0]?.reason).toContain(`${MOST_CHARACTERS} rule characters per user`);
    expect(await computingMs(() => importRules(long))).toBeLessThan(MOST_COMPUTING_MS);
    await arrive(100);
    expect(await computingMs((round) => arrive(100 + round))).toBeLessThan(MOST_COMPUTING_MS);
  });
});
