/**
 * `node --import ./test/support/run-typescript.mjs test/groups-through-kills.ts [rounds] [seed]`: people are given
 * folders of groups and lose them, many at once, while the serving process is killed at random moments, in the
 * background and in requests. Then every list is right, with the ids that were there first; nothing is there
 * twice, and what was starred stays.
 */
import assert from 'node:assert/strict';
import { rss } from './support/feed-server.js';
import { Groups } from './support/group-folders.js';
import { ok, type NewsClient } from './support/news-client.js';
import { throughKills } from './support/through-kills.js';
import { until } from './support/until.js';

const READERS = 60;
const FEEDS = 9;
const GROUPS = ['north', 'south', 'east'];
const LONGEST_PAUSE_MS = 2500;
/** Jobs of a process that was killed are taken up by the next one after their longest attempt. */
const LEFT_WITHIN_SECONDS = 180;

const paths = Array.from({ length: FEEDS }, (_, n) => `/feed-${n}`);
/** What is known of a reader: ids by what they are of, and titles. */
interface Known {
  readonly ids: Map<string, number>;
  readonly starred: Set<string>;
}

await throughKills(
  10,
  async ({ rounds, random, publisher, readers, query, asAdmin, makeDue, kill }) => {
    const articles = new Map<string, string[]>(paths.map((path) => [path, []]));
    const publish = (path: string) => {
      const titles = articles.get(path) ?? [];
      titles.push(`${path}, article ${titles.length}`);
      const items = titles.map((title) => ({ title, guid: title, body: `<p>${title}</p>` }));
      publisher.publish(path, rss({ title: path, items: items.toReversed() }));
    };
    paths.forEach(publish);
    const groups = new Groups({ asAdmin });
    const folders = new Map<string, { readonly id: number; readonly paths: Set<string> }>();
    for (const [n, name] of GROUPS.entries()) {
      await groups.create(name);
      const id = await groups.createFolder(name, name);
      // Each has its own, and shares some with the next one.
      const its = paths.filter((_, feed) => feed % 3 === n || (feed + 1) % 3 === n);
      for (const path of its) {
        await groups.add(id, publisher.url(path), { mandatory: random.chance(0.5) });
      }
      folders.set(name, { id, paths: new Set(its) });
    }
    const people = await readers(READERS);
    const known = new Map<string, Known>(
      people.map(({ userId }) => [userId, { ids: new Map(), starred: new Set() }]),
    );
    const groupsOf = new Map(people.map(({ userId }) => [userId, new Set<string>()]));

    const change = async () => {
      for (const name of GROUPS) {
        const moving = people.filter(() => random.chance(0.4)).map(({ userId }) => userId);
        // As a directory does: all at once, and nobody is told.
        const [coming, leaving] = [
          moving.filter((userId) => groupsOf.get(userId)?.has(name) !== true),
          moving.filter((userId) => groupsOf.get(userId)?.has(name) === true),
        ];
        await query(
          'insert into account_group_member (group_id, user_id) select $1, unnest($2::text[])',
          [name, coming],
        );
        await query('delete from account_group_member where group_id = $1 and user_id = any($2)', [
          name,
          leaving,
        ]);
        coming.forEach((userId) => groupsOf.get(userId)?.add(name));
        leaving.forEach((userId) => groupsOf.get(userId)?.delete(name));
      }
      const folder = folders.get(random.pick(GROUPS) ?? '');
      const path = random.pick(paths) ?? '';
      if (folder?.paths.delete(path) === true) {
        const { feeds } = await groups.folder(folder.id);
        await groups.take(folder.id, feeds.find(({ url }) => url.endsWith(path))?.id ?? 0);
      } else {
        await groups.add(folder?.id ?? 0, publisher.url(path));
        folder?.paths.add(path);
      }
    };

    const check = async (userId: string, news: NewsClient, isAtRest: boolean) => {
      const { ids, starred } = known.get(userId) ?? assert.fail();
      const mine = [...(groupsOf.get(userId) ?? [])].toSorted();
      const due = new Set(mine.flatMap((name) => [...(folders.get(name)?.paths ?? [])]));
      const shown = await news.folders();
      assert.deepEqual(shown.map(({ name }) => name).toSorted(), mine, userId);
      const { feeds } = await news.feedList();
      const given = feeds.filter(({ title }) => !title.startsWith('From '));
      assert.deepEqual(given.map(({ title }) => title).toSorted(), [...due].toSorted(), userId);
      const items = await news.items();
      const isIn = (title: string) => due.has(title.split(',')[0] ?? '');
      const titles = items.map(({ title }) => title ?? '');
      assert.equal(new Set(titles).size, titles.length, `${userId} has an item twice`);
      const expected = [
        ...(isAtRest ? [...due].flatMap((path) => articles.get(path) ?? []) : []),
        ...[...ids.keys()].filter((title) => title.includes(',') && isIn(title)),
        ...starred,
      ];
      const missing = expected.filter((title) => !titles.includes(title));
      assert.deepEqual(missing, [], `${userId} has lost something`);
      assert.deepEqual(
        titles.filter((title) => !isIn(title) && !starred.has(title)),
        [],
        `${userId} has what is not theirs`,
      );
      const named = [
        ...given.map(({ title, id }) => [title, id] as const),
        ...items.map(({ title, id }) => [title ?? '', id] as const),
      ];
      for (const [title, id] of named) {
        assert.equal(id, ids.get(title) ?? id, `${userId}, ${title}`);
        ids.set(title, id);
      }
      assert.deepEqual(
        items.flatMap(({ title, starred: isStarred }) => (isStarred ? [title] : [])).toSorted(),
        [...starred].toSorted(),
        userId,
      );
      return items;
    };
    const due = async () => {
      const [row] = await query<{ due: number }>(
        `select count(*)::int as due from group_folder_member given
          where not exists (select from group_folder folder
                              join account_group_member member on member.group_id = folder.group_id
                             where folder.id = given.folder_id and member.user_id = given.user_id)`,
      );
      return row?.due ?? 0;
    };

    let cut = 0;
    for (let round = 1; round <= rounds; round += 1) {
      await change();
      publish(random.pick(paths) ?? '');
      await makeDue();
      // Some look on, so that they are given what is theirs without a request.
      await query(
        `update reader_user set watched_until = now() + interval '1 minute' where user_id = any($1)`,
        [people.filter(() => random.chance(0.5)).map(({ userId }) => userId)],
      );
      const asking = people
        .filter(() => random.chance(0.3))
        .map(({ news }) => news.feedList().catch(() => {}));
      const before = await due();
      await Promise.all([...asking, kill(LONGEST_PAUSE_MS)]);
      const after = await due();
      cut += after > 0 && after < before ? 1 : 0;
      for (const { userId, news } of people.filter(() => random.chance(0.2))) {
        const item = random.pick(await check(userId, news, false));
        if (item !== undefined) {
          await ok(news.post(`/items/${item.id}/star`));
          known.get(userId)?.starred.add(item.title ?? '');
        }
      }
    }
    const begun = Date.now();
    await until('the last who left', async () => (await due()) === 0, LEFT_WITHIN_SECONDS);
    const seconds = Math.round((Date.now() - begun) / 1000);
    await makeDue();
    await until('the last fetch', async () => {
      const [row] = await query<{ n: number }>(
        'select count(*)::int as n from source_schedule where due_at <= now() or lease_token is not null',
      );
      return row?.n === 0;
    });
    for (const { userId, news } of people) {
      await check(userId, news, true);
    }
    const twice = await query(
      `select reader_id from subscription group by reader_id, source_id having count(*) > 1
        union all select reader_id from folder where group_folder_id is not null
        group by reader_id, group_folder_id having count(*) > 1`,
    );
    assert.deepEqual(twice, []);
    return `${rounds} kills, ${cut} amid the work: every list of ${READERS} people is right, ids as first seen; the rest was done within ${seconds} s`;
  },
  {},
  ['quick-intervals.mjs'],
);
