import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Clock } from '../../src/common/clock.js';
import { Config } from '../../src/common/config/config.js';
import type { SqlRunner } from '../../src/common/sql-runner.js';
import { NetworkOutageDetector } from '../../src/news/sources/refreshing/network-outage-detector.service.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import {
  ScheduleRepository,
  type ClaimLimits,
} from '../../src/news/sources/schedule/schedule.repository.js';
import {
  LEASE_SECONDS,
  lockUnleasedSources,
  reserveSlots,
  type Lease,
} from '../../src/news/sources/schedule/schedule.sql.js';
import { DueFetches } from '../../src/news/updater/due-fetches.task.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { UpdaterSchedule } from '../../src/news/updater/updater.schedule.js';
import { catchTimers, type Timers } from '../support/caught-timers.js';
import { addDueSources } from '../support/due-sources.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { until } from '../support/until.js';

/** Two processes on one database. The second has the scheduler on. */
let app: TestApp;
let twin: TestApp;
let publisher: FeedServer;
let specs = 0;
let prefix: string;

beforeAll(async () => {
  [app, publisher] = await Promise.all([startApp(), startFeedServer()]);
  twin = await startTwin({ GATEFOLD_SCHEDULER: 'on' }, (nest) => {
    timers = catchTimers(nest);
  });
  jest.restoreAllMocks();
});
afterAll(async () => {
  await twin.stop();
  await Promise.all([app.stop(), publisher.close()]);
});
beforeEach(() => {
  prefix = `/${(specs += 1)}`;
});
afterEach(async () => {
  await app.database.query("update source_schedule set due_at = now() + interval '1 day'");
});

const startTwin = (settings = {}, customise?: Parameters<typeof startApp>[1]) =>
  startApp({ DATABASE_URL: app.inside(Config).databaseUrl ?? '', ...settings }, customise);

let timers: Timers;

const scheduleOf = ({ app: nest }: TestApp) => nest.get(ScheduleRepository);

const document = (title: string) =>
  rss({ title, link: publisher.url('/'), items: [{ title: 'i' }] });

const LIMITS: ClaimLimits = {
  sources: 100,
  perHost: 100,
  held: [],
  gapMs: 1000,
  horizonMs: 60_000,
};

async function due(urls: readonly string[]): Promise<number[]> {
  const { userId } = (await app.signIn()).credentials;
  return addDueSources(app, userId, urls);
}

const addresses = (host: string, count: number) =>
  Array.from({ length: count }, (_, n) => `https://${host}${prefix}/${n}.xml`);

async function scheduled(sourceId: number) {
  const [row] = await app.database.query<{ inSeconds: number; leased: boolean }>(
    `select extract(epoch from due_at - now())::float8 as "inSeconds", lease_token is not null as leased
       from source_schedule where source_id = $1`,
    [sourceId],
  );
  return row;
}

describe('the schedule', () => {
  it('gives each due source to one process only', async () => {
    const ids = await due(addresses('shared.example', 40));
    const claims = await Promise.all(
      [app, twin, app, twin].map(({ app: nest }) =>
        nest.get(ScheduleRepository).claimDue({ ...LIMITS, perHost: 10, gapMs: 0 }),
      ),
    );

    const claimed = claims.flatMap(({ leases }) => leases.map(({ sourceId }) => sourceId));
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.every((id) => ids.includes(id))).toBe(true);
  });

  it('spaces requests to one host exactly, across processes', async () => {
    const host = `spaced-${specs}.example`;
    await due(addresses(host, 30));
    // Ahead of the spec, which takes time itself.
    const [before] = await app.database.query<{ micros: number }>(
      `insert into host_state (host_key, next_slot_at) values ($1, now() + interval '20 seconds')
       returning (extract(epoch from next_slot_at) * 1000000)::bigint as micros`,
      [host],
    );

    const claims: Lease[] = [];
    for (let round = 0; round < 3; round++) {
      const both = await Promise.all(
        [app, twin].map(({ app: nest }) =>
          nest.get(ScheduleRepository).claimDue({ ...LIMITS, sources: 5 }),
        ),
      );
      claims.push(...both.flatMap(({ leases }) => leases));
    }

    const [after] = await app.database.query<{ micros: number }>(
      `select (extract(epoch from next_slot_at) * 1000000)::bigint as micros from host_state
        where host_key = $1`,
      [host],
    );
    // Every call reserved one second, and no reserved second is unused.
    const reserved = ((after?.micros ?? 0) - (before?.micros ?? 0)) / 1_000_000;
    expect(claims.length).toBeGreaterThanOrEqual(15);
    expect(reserved).toBeGreaterThanOrEqual(claims.length);
    expect(reserved).toBeLessThan(claims.length + 1);
  });

  it('fetches from a host with more due sources than slots at a steady rate, without wasting slots', async () => {
    const host = `long-queue-${specs}.example`;
    const ids = await due(addresses(host, 30));

    const served = new Set<number>();
    for (let second = 0; second < ids.length + 5; second++) {
      const { leases } = await scheduleOf(app).claimDue({ ...LIMITS, horizonMs: 10_000 });
      leases.forEach(({ sourceId }) => served.add(sourceId));
      // Fetched, or they would be due again when their lease ends, and take slots of others.
      await scheduleOf(app).release(leases, 86_400);
      await letPass(1);
    }

    expect(served.size).toBe(ids.length);
  });

  it('postpones a host without a free slot, so that it does not hold up others', async () => {
    await due(addresses(`crowd-${specs}.example`, 220));
    const [other = 0] = await due(addresses(`other-${specs}.example`, 1));
    const claim = () =>
      app.inside(ScheduleRepository).claimDue({ ...LIMITS, sources: 4, horizonMs: 2000 });

    await claim();
    const second = await claim();
    const third = await claim();

    const claimed = [...second.leases, ...third.leases].map(({ sourceId }) => sourceId);
    expect(claimed).toContain(other);
  });

  it('makes sources due that were postponed before their host turned out to need no gaps', async () => {
    const ids = await due(addresses('intranet.example', 6));
    const { leases } = await scheduleOf(app).claimDue({ ...LIMITS, horizonMs: 1000 });
    const [leased, , fetched, ...postponed] = ids;
    await app.database.query('update source set fetched_at = now() where id = $1', [fetched]);

    await scheduleOf(app).setSpacing('intranet.example', false);

    expect(leases).toHaveLength(2);
    expect(await scheduled(leased ?? 0)).toMatchObject({ leased: true });
    expect((await scheduled(fetched ?? 0))?.inSeconds).toBeGreaterThan(1);
    for (const sourceId of postponed) {
      expect((await scheduled(sourceId))?.inSeconds).toBeLessThanOrEqual(0);
    }
    const again = await scheduleOf(app).claimDue({ ...LIMITS, held: leases, gapMs: 1000 });
    expect(again.leases.map(({ waitMs }) => waitMs)).toEqual([0, 0, 0]);
  });

  it('leaves sources postponed that a claim has locked, without waiting for it, when their host turns out to need no gaps', async () => {
    const host = `locked-${specs}.example`;
    const ids = await due(addresses(host, 2));
    const [locked = 0, other = 0] = ids;
    await app.database.query(
      `update source_schedule set due_at = now() + interval '1 minute' where source_id = any($1)`,
      [ids],
    );

    await app.database.transaction(async (tx) => {
      await lockUnleasedSources([locked], tx);
      const spacing = scheduleOf(twin).setSpacing(host, false);
      expect(await endsOrWaitsFor(tx, spacing)).toBe('ends');
    });

    expect((await scheduled(locked))?.inSeconds).toBeGreaterThan(1);
    expect((await scheduled(other))?.inSeconds).toBeLessThanOrEqual(0);
  });

  it('waits for no host whose sources it does not claim', async () => {
    const [used, unused] = [`used-${specs}.example`, `unused-${specs}.example`];
    const ids = await due([...addresses(used, 1), ...addresses(unused, 1)]);
    await app.database.query(
      `update source_schedule set due_at = '2000-01-01'::timestamptz + make_interval(secs => source_id)
        where source_id = any($1::bigint[])`,
      [ids],
    );

    await app.database.transaction(async (tx) => {
      await reserveSlots(new Map([[unused, 1]]), 1000, 60_000, tx);
      const claim = scheduleOf(twin).claimDue({ ...LIMITS, sources: 1 });
      expect(await endsOrWaitsFor(tx, claim)).toBe('ends');
      expect((await claim).leases.map(({ hostKey }) => hostKey)).toEqual([used]);
    });
  });

  it('gives a source that two processes want at once to one of them', async () => {
    const hostKey = `wanted-${specs}.example`;
    const [sourceId = 0] = await due(addresses(hostKey, 1));
    const claim = (process: TestApp) => scheduleOf(process).claimWanted([sourceId], LIMITS);

    const { claims } = await app.database.transaction(async (tx) => {
      // So that both look for the source before either has leased it.
      await reserveSlots(new Map([[hostKey, 1]]), 1000, 60_000, tx);
      const first = claim(app);
      expect(await endsOrWaitsFor(tx, first)).toBe('waits');
      const second = claim(twin);
      await endsOrWaitsFor(tx, second, 2);
      return { claims: [first, second] };
    });

    expect((await Promise.all(claims)).flat()).toHaveLength(1);
  });

  it('makes the source of a dead process due again when its lease expires, and ignores the old lease', async () => {
    const [id = 0] = await due([publisher.url(`${prefix}.xml`)]);
    publisher.publish(`${prefix}.xml`, document('f'));
    const [dead] = (await scheduleOf(app).claimDue(LIMITS)).leases;
    const held = await scheduled(id);
    expect(held?.leased).toBe(true);
    expect(held?.inSeconds).toBeLessThanOrEqual(LEASE_SECONDS);

    await letPass(LEASE_SECONDS + 1);
    const [heir] = (await twin.inside(ScheduleRepository).claimDue(LIMITS)).leases;

    expect(heir?.sourceId).toBe(id);
    expect(await app.inside(SourceRefresher).refresh(dead ?? NO_LEASE)).toEqual({
      outcome: 'superseded',
    });
    const ofSource = 'select from article where source_id = $1';
    expect(await app.database.query(ofSource, [id])).toEqual([]);
    expect(await twin.inside(SourceRefresher).refresh(heir ?? NO_LEASE)).toEqual({
      outcome: 'updated',
    });
  });

  it('fetches again right after a fetch during which a change was announced', async () => {
    const at = `${prefix}.xml`;
    const [id = 0] = await due([publisher.url(at)]);
    const lease = await scheduleOf(app).claim(id);
    publisher.publish(at, document('f'));

    await scheduleOf(app).makeDue(id, 0);
    await app.inside(SourceRefresher).refresh(lease ?? NO_LEASE);

    expect((await scheduled(id))?.inSeconds).toBeLessThanOrEqual(0);
  });

  it('uses the clock of the database only', async () => {
    const at = `${prefix}.xml`;
    const [id = 0] = await due([publisher.url(at)]);
    publisher.publish(at, document('f'));
    const clock = app.inside(Clock);
    const now = clock.now.bind(clock);
    for (const years of [-10, 10]) {
      clock.now = () => new Date(now().getTime() + years * 365 * 86_400_000);
      await app.inside(SourceRefresher).refreshNow(id);

      expect((await scheduled(id))?.inSeconds).toBeGreaterThan(60);
      expect((await scheduled(id))?.inSeconds).toBeLessThan(8 * 86_400);
    }
    clock.now = now;
  });

  it('resets dates that only a wrong clock can have set', async () => {
    const [id = 0, leased = 0] = await due(addresses(`mended-${specs}.example`, 2));
    await app.database.query(
      `update source_schedule set due_at = now() + interval '1 year' where source_id = $1`,
      [id],
    );
    await app.database.query(
      `update source_schedule set due_at = now() + interval '1 hour', lease_token = gen_random_uuid()
        where source_id = $1`,
      [leased],
    );

    await scheduleOf(app).resetImplausibleDates();

    expect((await scheduled(id))?.inSeconds).toBeLessThanOrEqual(LEASE_SECONDS);
    expect((await scheduled(leased))?.inSeconds).toBeLessThanOrEqual(LEASE_SECONDS);
  });

  describe('after the clock was an hour ahead and is right again', () => {
    /** Times written while the clock is ahead are an hour late afterwards. */
    const asIfWrittenAnHourAhead = (table: string, columns: readonly string[]) =>
      app.database.query(
        `update ${table} set ${columns.map((name) => `${name} = ${name} + interval '1 hour'`).join(', ')}`,
      );
    const keepHouse = async () => {
      await app.database.query('delete from housekeeping');
      await app.inside(UpdateCycle).keepHouse();
    };

    it('sources are due when they were meant to be', async () => {
      const at = `${prefix}.xml`;
      const [fetched = 0, waiting = 0] = await due([
        publisher.url(at),
        ...addresses(`ahead-${specs}.example`, 1),
      ]);
      publisher.publish(at, document('f'));
      await app.inside(SourceRefresher).refreshNow(fetched);
      const meant = (await scheduled(fetched))?.inSeconds ?? 0;
      await asIfWrittenAnHourAhead('source_schedule', ['due_at', 'set_at']);

      await keepHouse();

      const now = await scheduled(fetched);
      expect(now?.inSeconds).toBeGreaterThan(meant - 60);
      expect(now?.inSeconds).toBeLessThanOrEqual(meant + 1);
      expect((await scheduled(waiting))?.inSeconds).toBeLessThanOrEqual(1);
    });

    it('hosts are paused no longer than requested', async () => {
      const [id = 0] = await due(addresses(`patient-${specs}.example`, 1));
      await scheduleOf(app).pauseHost(`patient-${specs}.example`, 600);
      await asIfWrittenAnHourAhead('host_state', ['not_before', 'not_before_set_at']);

      await keepHouse();

      const pausedUntil = (await scheduleOf(app).stateOf(id))?.hostPausedUntilSeconds ?? 0;
      const nowSeconds = (await app.nowMicros()) / 1_000_000;
      expect(pausedUntil).toBeGreaterThan(nowSeconds + 540);
      expect(pausedUntil).toBeLessThan(nowSeconds + 602);
    });

    it('leases expire on time', async () => {
      const [id = 0] = await due(addresses(`leased-${specs}.example`, 1));
      await scheduleOf(app).claim(id);
      await asIfWrittenAnHourAhead('source_schedule', ['due_at', 'set_at']);

      await keepHouse();

      expect((await scheduled(id))?.inSeconds).toBeLessThanOrEqual(LEASE_SECONDS);
    });
  });

  /** Whether work ends by itself, or as many sessions wait for locks of the transaction. */
  async function endsOrWaitsFor(
    tx: SqlRunner,
    work: Promise<unknown>,
    sessions = 1,
  ): Promise<'ends' | 'waits'> {
    const [holder] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    const state = { hasEnded: false };
    const end = () => (state.hasEnded = true);
    work.then(end, end);
    await until('the work to end, or to wait for the lock', async () => {
      const waiting = await app.database.query(
        'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
        [holder?.pid],
      );
      return state.hasEnded || waiting.length === sessions;
    });
    return state.hasEnded ? 'ends' : 'waits';
  }

  /** Moves all future times nearer, which replaces waiting. */
  async function letPass(seconds: number): Promise<void> {
    await app.database.query(
      'update source_schedule set due_at = due_at - make_interval(secs => $1)',
      [seconds],
    );
    await app.database.query(
      'update host_state set next_slot_at = next_slot_at - make_interval(secs => $1)',
      [seconds],
    );
  }

  const NO_LEASE: Lease = { sourceId: 0, token: '', hostKey: '', spaced: true, waitMs: 0 };
});

describe('the built-in updater', () => {
  const publish = (path: string) => publisher.publish(path, document(path));

  beforeAll(async () => {
    await scheduleOf(app).setSpacing('127.0.0.1', false);
    await scheduleOf(app).setSpacing('localhost', false);
  });

  const fire = async (name: string) => {
    expect([...timers.keys()]).toContain(name);
    await timers.get(name)?.();
  };

  it('fetches and keeps house by itself, where GATEFOLD_SCHEDULER is on', async () => {
    const path = `${prefix}.xml`;
    publish(path);
    const [, misdated = 0] = await due([
      publisher.url(path),
      ...addresses(`misdated-${specs}.example`, 1),
    ]);
    await app.database.query(
      "update source_schedule set due_at = now() + interval '1 year' where source_id = $1",
      [misdated],
    );
    await app.database.query('delete from housekeeping');
    const done = async () => ({
      hasFetched: publisher.requests(path).length > 0,
      hasKeptHouse: ((await scheduled(misdated))?.inSeconds ?? 0) <= LEASE_SECONDS,
    });

    // This process has it off.
    await app.inside(UpdaterSchedule).fetchTick();
    await app.inside(UpdaterSchedule).housekeepingTick();
    const without = await done();
    await fire('feeds');
    await fire('housekeeping');

    expect(without).toEqual({ hasFetched: false, hasKeptHouse: false });
    expect(await done()).toEqual({ hasFetched: true, hasKeptHouse: true });
  });

  it('indexes what it has fetched for searches', async () => {
    publish(`${prefix}.xml`);
    const [id = 0] = await due([publisher.url(`${prefix}.xml`)]);
    await fire('feeds');
    await app.database.query('delete from housekeeping');

    await fire('search-index');

    expect(
      await app.database.query(
        'select count(*)::int as articles from article_tokens where source_id = $1',
        [id],
      ),
    ).toEqual([{ articles: 1 }]);
  });

  it('divides the work among several processes: each source is fetched exactly once', async () => {
    const paths = Array.from({ length: 40 }, (_, n) => `${prefix}/${n}.xml`);
    paths.forEach(publish);
    await due(paths.map((path) => publisher.url(path)));

    await Promise.all([app, twin].map(({ app: nest }) => nest.get(UpdateCycle).fetchDue()));

    const asked = paths.filter((path) => publisher.requests(path).length > 0).length;
    const inAll = paths.reduce((sum, path) => sum + publisher.requests(path).length, 0);
    expect([asked, inAll]).toEqual([40, 40]);
  });

  it('fetches from other hosts while one does not answer', async () => {
    const slow = Array.from({ length: 20 }, (_, n) => `${prefix}/slow/${n}.xml`);
    const release = slow.map((path) => publisher.hang(path));
    publish(`${prefix}/quick.xml`);
    await due([
      ...slow.map((path) => publisher.url(path)),
      publisher.url(`${prefix}/quick.xml`).replace('127.0.0.1', 'localhost'),
    ]);

    const cycle = app.inside(UpdateCycle).fetchDue();
    await publisher.whenAsked(`${prefix}/quick.xml`);

    expect(slow.some((path) => publisher.requests(path).length > 0)).toBe(true);
    slow.forEach(publish);
    release.forEach((answer) => answer());
    await app.database.query(
      "update source_schedule set due_at = now() + interval '1 day' where lease_token is null",
    );
    await cycle;
  });

  it('fetches four at a time from a host with gaps, and postpones the others for a moment', async () => {
    const paths = Array.from({ length: 6 }, (_, n) => `${prefix}/${n}.xml`);
    const release = paths.map((path) => publisher.hang(path));
    const ids = await due(paths.map((path) => publisher.url(path)));
    const schedule = app.inside(ScheduleRepository);
    const claim = schedule.claimDue.bind(schedule);
    const claims = jest.spyOn(schedule, 'claimDue').mockImplementation(async (limits) => {
      const claimed = await claim(limits);
      // Instead of waiting for the slots.
      const leases = claimed.leases.map((lease) => ({ ...lease, spaced: true, waitMs: 0 }));
      return { ...claimed, leases };
    });

    const cycle = app.inside(UpdateCycle).fetchDue();
    const asked = () => paths.filter((path) => publisher.requests(path).length > 0).length;
    const states = () => Promise.all(ids.map(scheduled));
    await until('all sources to be asked or postponed', async () => {
      const postponed = (await states()).filter((one) => (one?.inSeconds ?? 0) > 0 && !one?.leased);
      return asked() + postponed.length === 6;
    });

    expect(asked()).toBe(4);
    paths.forEach(publish);
    release.forEach((answer) => answer());
    await cycle;
    claims.mockRestore();
  });

  it('leases four sources that it could not reach at a time while the network is down', async () => {
    const detector = app.inside(NetworkOutageDetector);
    const paths = Array.from({ length: 20 }, (_, n) => `${prefix}/${n}.xml`);
    const release = paths.map((path) => publisher.hang(path));
    const ids = await due(paths.map((path) => publisher.url(path)));
    // As many as vote, so that the followers of other tests have no say.
    const followedBy = Array.from({ length: 8 }, (_, n) => -1 - n);
    for (const hostKey of ['127.0.0.1', 'a.example', 'b.example', 'c.example']) {
      const sign = { sourceId: 0, hostKey, followedBy, answeredLately: true };
      detector.note({ ...sign, outcome: 'unreached' });
    }
    await app.database.query(
      `insert into fetch_attempt (source_id, outcome, decision, due_at)
       select unnest($1::bigint[]), 'outage', 'the network is down', now()`,
      [ids],
    );

    const cycle = app.inside(UpdateCycle).fetchDue();
    await Promise.any(paths.map((path) => publisher.whenAsked(path)));
    const states = await Promise.all(ids.map(scheduled));

    expect(states.filter((state) => state?.leased)).toHaveLength(4);
    paths.forEach(publish);
    release.forEach((answer) => answer());
    await cycle;
    expect(detector.isOutage).toBe(false);
  });

  it('tells in the log which source it could not process, and goes on with others', async () => {
    const paths = [`${prefix}/a.xml`, `${prefix}/b.xml`];
    paths.forEach(publish);
    const [broken = 0] = await due(paths.map((path) => publisher.url(path)));
    const refresher = app.inside(SourceRefresher);
    const work = refresher.refresh.bind(refresher);
    const refresh = jest
      .spyOn(refresher, 'refresh')
      .mockImplementation(async (lease, ...others) => {
        if (lease.sourceId === broken) {
          throw new Error('it broke');
        }
        return work(lease, ...others);
      });
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();

    await app.inside(UpdateCycle).fetchDue();

    expect(errors.mock.calls).toEqual([[`source ${broken}: it broke`]]);
    expect(publisher.requests(paths[1] ?? '')).toHaveLength(1);
    errors.mockRestore();
    refresh.mockRestore();
  });

  it('returns a lease at shutdown that waits for a slot of its host', async () => {
    const host = `waiting-${specs}.example`;
    const [id = 0] = await due(addresses(host, 1));
    await app.database.query(
      `insert into host_state (host_key, next_slot_at, unspaced)
       values ($1, now() + interval '8 seconds', false)`,
      [host],
    );
    const third = await startTwin();
    const cycle = third.inside(UpdateCycle).fetchDue();
    await until('a lease', async () => (await scheduled(id))?.leased === true);

    await third.stop();
    await cycle;

    expect(await scheduled(id)).toMatchObject({ leased: false });
    expect((await scheduled(id))?.inSeconds).toBeLessThanOrEqual(0);
  });

  it('begins nothing more once it stops', async () => {
    const third = await startTwin({ GATEFOLD_SCHEDULER: 'on' });
    await third.inside(UpdaterSchedule).beforeApplicationShutdown();
    const begun = [
      jest.spyOn(third.inside(UpdateCycle), 'fetchDue'),
      jest.spyOn(third.inside(UpdateCycle), 'keepHouse'),
    ];

    await third.inside(UpdaterSchedule).fetchTick();
    await third.inside(UpdaterSchedule).housekeepingTick();

    begun.forEach((one) => expect(one).not.toHaveBeenCalled());
    await third.stop();
  });

  it('returns leases at shutdown, so that their sources are due at once', async () => {
    const path = `${prefix}.xml`;
    const release = publisher.hang(path);
    const [id = 0] = await due([publisher.url(path)]);
    const third = await startTwin();
    third.inside(DueFetches).drainMs = 0;
    const cycle = third.inside(UpdateCycle).fetchDue();
    await publisher.whenAsked(path);

    await third.stop();
    await cycle;

    expect(await scheduled(id)).toMatchObject({ leased: false });
    expect((await scheduled(id))?.inSeconds).toBeLessThanOrEqual(0);
    release();
  });
});
