import { beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { writeFetches, type EndedFetch } from '../../src/news/sources/articles/fetch-record.sql.js';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { ScheduleRepository } from '../../src/news/sources/schedule/schedule.repository.js';
import type { Lease } from '../../src/news/sources/schedule/schedule.sql.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { addDueSources } from '../support/due-sources.js';
import { rss } from '../support/feed-server.js';
import { Random } from '../support/histories/random.js';
import { histories } from '../support/long.js';
import { NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { statementsDuring } from '../support/statements.js';
import { until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher();

let specs = 0;
let prefix: string;
beforeEach(() => {
  prefix = `/${(specs += 1)}`;
});

const publish = (path: string, etag = '"v1"', delayUntil?: Promise<unknown>) =>
  publisher.publish(path, rss({ title: path, items: [{ title: 'item' }] }), {
    etag,
    ...(delayUntil !== undefined && { delayUntil }),
  });

/** Statements about feeds during `work`. */
const feedStatementsDuring = async (work: () => Promise<unknown>) =>
  (await statementsDuring(app.inside(Database), work)).filter((text) =>
    /source|subscription|article|host_state|fetch_attempt/.test(text),
  );

describe('a round in which nothing changed', () => {
  it('of an updater needs four statements per feed', async () => {
    publish(`${prefix}.xml`);
    const user = await app.signIn();
    const feed = await new NewsClient(user, 'v1-3').subscribe(publisher.url(`${prefix}.xml`));
    const update = () =>
      new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);
    await update();
    const asked = publisher.requests(`${prefix}.xml`).length;

    const statements = await feedStatementsDuring(update);

    expect(publisher.requests(`${prefix}.xml`)).toHaveLength(asked + 1);
    // What the reader knows; the lease and the note, in one round trip; and the result.
    expect(statements).toHaveLength(4);
  });

  it('of the schedule needs far fewer statements than feeds', async () => {
    await app.inside(ScheduleRepository).setSpacing('127.0.0.1', false);
    const { userId } = (await app.signIn()).credentials;
    const paths = Array.from({ length: 60 }, (_, n) => `${prefix}/${n}.xml`);
    paths.forEach((path) => publish(path));
    const ids = await addDueSources(
      app,
      userId,
      paths.map((path) => publisher.url(path)),
    );
    await app.database.query('update source set icon_checked_at = now()');
    await app.inside(UpdateCycle).fetchDue();
    await app.database.query(
      'update source_schedule set due_at = now() where source_id = any($1::bigint[])',
      [ids],
    );
    // On a slow machine, answers that trickle in would be stored one by one.
    const allAsked = Promise.all(paths.map((path) => publisher.whenAsked(path, 2)));
    paths.forEach((path) => publish(path, '"v1"', allAsked));

    const statements = await feedStatementsDuring(() => app.inside(UpdateCycle).fetchDue());

    expect(paths.map((path) => publisher.requests(path).length)).toEqual(paths.map(() => 2));
    expect(statements.length).toBeLessThan(paths.length / 2);
  });

  it('asks the database once when nothing is due', async () => {
    await app.database.query("update source_schedule set due_at = now() + interval '1 day'");

    expect(await feedStatementsDuring(() => app.inside(UpdateCycle).fetchDue())).toHaveLength(1);
  });

  it('asks the database once for full texts that nobody wants', async () => {
    expect(await feedStatementsDuring(() => app.inside(FullTextService).fetchDue())).toHaveLength(
      1,
    );
  });
});

describe('a host without gaps that has very many due sources', () => {
  it('does not hide the sources of other hosts, and none of its sources is postponed', async () => {
    await app.database.query("update source_schedule set due_at = now() + interval '1 day'");
    const { userId } = (await app.signIn()).credentials;
    const farm = `farm-${specs}.example`;
    await app.inside(ScheduleRepository).setSpacing(farm, false);
    const many = Array.from({ length: 240 }, (_, n) => `https://${farm}/${n}.xml`);
    await addDueSources(app, userId, many);
    const [other = 0] = await addDueSources(app, userId, [`https://other-${specs}.example/x.xml`]);

    const held: Lease[] = [];
    const lefts: string[] = [];
    for (let claims = 0; claims < 3; claims += 1) {
      const { leases, left } = await app.inside(ScheduleRepository).claimDue({
        sources: 20,
        perHost: 4,
        perUnspacedHost: 10,
        held,
        gapMs: 1000,
        horizonMs: 1000,
      });
      held.push(...leases);
      lefts.push(left);
    }

    expect(held.filter(({ hostKey }) => hostKey === farm)).toHaveLength(10);
    expect(held.map(({ sourceId }) => sourceId)).toContain(other);
    expect(lefts).toEqual(['unseen', 'later', 'later']);
    const [due] = await app.database.query<{ count: number }>(
      'select count(*)::int as count from source_schedule where due_at <= now() and host_key = $1',
      [farm],
    );
    expect(due?.count).toBe(230);
  });
});

describe('a set of results', () => {
  const STATE = `select error_count, last_error, gone_at is not null as gone, etag, last_modified,
                        not_modified_in_row, effective_url, moving_since is not null as moving,
                        moving_to, moving_sightings, fetched_at is not null as fetched,
                        asked_at is not null as asked, lease_token is not null as leased, host_key,
                        round(extract(epoch from schedule.due_at - set_at)) as wait, wanted_again,
                        attempt.outcome, attempt.message, attempt.status, attempt.duration_ms,
                        attempt.bytes, attempt.decision,
                        round(extract(epoch from attempt.due_at - attempt.at)) as attempt_wait
                   from source join source_schedule schedule on schedule.source_id = source.id
                   left join fetch_attempt attempt on attempt.source_id = source.id
                  where source.id = any($1::bigint[]) order by source.id, attempt.id`;
  const database = () => app.inside(Database);

  function aResult(random: Random): Omit<EndedFetch, 'lease'> {
    const validators = random.chance(0.5)
      ? { etag: random.pick(['"a"', '"b"', null]) ?? null, lastModified: null }
      : null;
    const failed = { outcome: 'failed', message: 'no \\ "luck"', document: null } as const;
    const results = [
      { outcome: 'unchanged', validators },
      { outcome: 'unchanged', validators: null },
      { ...failed, gone: random.chance(0.5), refused: random.chance(0.3) },
      { outcome: 'outage', message: 'down' },
    ] as const;
    const to = `https://moved.example/${random.below(3)}`;
    const addresses = [
      { is: 'none' },
      { is: 'announced', to, sightings: 1 + random.below(3) },
      { is: 'announced', to: null, sightings: 0 },
      { is: 'moved', to, hostKey: 'moved.example' },
    ] as const;
    return {
      record: {
        result: random.pick(results) ?? results[0],
        dueInSeconds: 100 + random.below(1000),
        address: random.pick(addresses) ?? addresses[0],
        notes: {
          status: random.chance(0.8) ? 304 : null,
          durationMs: random.below(100),
          bytes: random.below(100),
          decision: `“${random.below(9)}”`,
        },
      },
      ingested: { newItems: 0, changedItems: 0, postponedItems: 0, storedMs: 0, awaitedRev: null },
    };
  }

  const lease = async (sourceId: number, askedAt: string | undefined): Promise<Lease> => {
    const claimed = await app.inside(ScheduleRepository).claim(sourceId);
    if (claimed === null) {
      throw new Error(`Source ${sourceId} has no schedule`);
    }
    return { ...claimed, askedAt };
  };

  async function sources(count: number): Promise<number[]> {
    const { userId } = (await app.signIn()).credentials;
    const urls = Array.from({ length: count }, (_, n) => `https://set${prefix}.example/${n}`);
    return addDueSources(app, userId, urls);
  }

  it('is written as each of them by itself, over generated rounds', async () => {
    const random = new Random(11);
    const ids = await sources(24);
    const [apart, together] = [ids.slice(0, 12), ids.slice(12)];
    for (let round = 0; round < histories(4, 12); round += 1) {
      const set: EndedFetch[] = [];
      for (const [n, id] of apart.entries()) {
        const result = aResult(random);
        const askedAt = random.chance(0.3) ? '2026-01-01 00:00:00.123456+00' : undefined;
        const again = random.chance(0.2);
        const isLost = random.chance(0.1);
        const leases = [await lease(id, askedAt), await lease(together[n] ?? 0, askedAt)] as const;
        if (again) {
          await app.database.query(
            'update source_schedule set wanted_again = true where source_id = any($1::bigint[])',
            [leases.map(({ sourceId }) => sourceId)],
          );
        }
        const [alone, inSet] = isLost
          ? leases.map((held) => ({ ...held, token: crypto.randomUUID() }))
          : leases;
        const written = await writeFetches(database(), [{ ...result, lease: alone }], 'wait');
        expect(written.size).toBe(isLost ? 0 : 1);
        set.push({ ...result, lease: inSet });
      }
      await writeFetches(database(), set, 'skip');

      expect(await database().query(STATE, [together])).toEqual(
        await database().query(STATE, [apart]),
      );
    }
  });

  it('leaves out a source that another transaction holds, and waits for nobody', async () => {
    const ids = await sources(3);
    const [, locked = 0] = ids;
    const results = new Random(1);
    const set = await Promise.all(
      ids.map(async (id) => ({ ...aResult(results), lease: await lease(id, undefined) })),
    );
    const written = await database().transaction(async (tx) => {
      await tx.query('select from source where id = $1 for update', [locked]);
      return writeFetches(database(), set, 'skip');
    });

    expect([...written]).toEqual(
      expect.arrayContaining([set[0]?.lease.token, set[2]?.lease.token]),
    );
    expect(written.size).toBe(2);
    expect((await writeFetches(database(), set, 'wait')).size).toBe(1);
  });

  it('writes nothing for a lease that is lost while it waits for the lock', async () => {
    const [id = 0] = await sources(1);
    const fetch = { ...aResult(new Random(2)), lease: await lease(id, undefined) };
    const before = await database().query(STATE, [[id]]);

    const { written } = await database().transaction(async (tx) => {
      await tx.query(
        'update source_schedule set lease_token = gen_random_uuid() where source_id = $1',
        [id],
      );
      const written = writeFetches(database(), [fetch], 'wait');
      await someoneWaitsForALock();
      return { written };
    });

    expect((await written).size).toBe(0);
    expect(await database().query(STATE, [[id]])).toEqual(before);
  });

  it('makes a source due at once whose change is announced while it waits for the lock', async () => {
    const [id = 0] = await sources(1);
    const fetch = { ...aResult(new Random(3)), lease: await lease(id, undefined) };

    const { written } = await database().transaction(async (tx) => {
      await tx.query('update source_schedule set wanted_again = true where source_id = $1', [id]);
      const written = writeFetches(database(), [fetch], 'wait');
      await someoneWaitsForALock();
      return { written };
    });

    expect((await written).size).toBe(1);
    expect(await database().query(STATE, [[id]])).toMatchObject([
      { leased: false, wanted_again: false, wait: '0' },
    ]);
  });

  async function someoneWaitsForALock(): Promise<void> {
    await until('a statement that waits for a lock', async () => {
      const [row] = await database().query<{ waiting: boolean }>(
        `select exists (select from pg_stat_activity
                         where datname = current_database() and wait_event_type = 'Lock') as waiting`,
      );
      return row?.waiting === true;
    });
  }
});

describe('concurrent requests of an updater for feeds of one source', () => {
  it('are all answered, with the new items there for everybody', async () => {
    const path = `${prefix}.xml`;
    publish(path);
    const users = await Promise.all(Array.from({ length: 4 }, () => app.signIn()));
    const feeds = await Promise.all(
      users.map((user) => new NewsClient(user, 'v1-3').subscribe(publisher.url(path))),
    );
    const admin = new NewsClient(app.asAdmin(), 'v1-3');
    for (const round of [1, 2]) {
      const items = [{ title: `new ${round}` }, { title: 'item' }];
      publisher.publish(path, rss({ title: path, items }), { etag: `"n${round}"` });

      // Twice each: the first one leases the source, the others join or find it fetched.
      await Promise.all(
        [...feeds, ...feeds].map(({ id }, n) =>
          admin.update(users[n % users.length]?.credentials.userId ?? '', id),
        ),
      );

      for (const user of users) {
        const found = await new NewsClient(user, 'v1-3').items({ type: 3, getRead: true });
        expect(found.map(({ title }) => title)).toContain(`new ${round}`);
      }
      const states = await app.database.query(
        `select lease_token, error_count from source_schedule join source on source.id = source_id
          where source.url = $1`,
        [publisher.url(path)],
      );
      expect(states).toEqual([{ lease_token: null, error_count: 0 }]);
    }
  });
});
