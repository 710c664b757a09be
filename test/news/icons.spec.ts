import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { OutgoingHttp } from '../../src/common/http/outgoing-http.js';
import { IconsRepository } from '../../src/news/sources/favicons/icons.repository.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { ScheduleRepository } from '../../src/news/sources/schedule/schedule.repository.js';
import { addDueSources } from '../support/due-sources.js';
import { rss, type PublishOptions } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { until } from '../support/until.js';

const DAY = 86_400;
const GAP_MS = 1000;
const png = (text: string) =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(text)]);

const { app, publisher } = await serviceAndPublisher();

/** As if the publisher were on the internet, where hosts are spaced and can ask for a pause. */
const outgoing = app.inside(OutgoingHttp);
const send = outgoing.request.bind(outgoing);
outgoing.request = async (request) => ({ ...(await send(request)), allowListed: false });

/** When the slots begin that icons were given, by the database's clock. Nobody waits for them. */
let slotsMs: number[];
const schedule = app.inside(ScheduleRepository);
const takeSlot = schedule.takeSlot.bind(schedule);
schedule.takeSlot = async (hostKey) => {
  const slot = await takeSlot(hostKey);
  const [host] = await app.database.query<{ ms: number }>(
    'select extract(epoch from previous_slot_at)::float8 * 1000 as ms from host_state where host_key = $1',
    [hostKey],
  );
  slotsMs.push(...(slot && host ? [host.ms] : []));
  return slot && { ...slot, waitMs: 0 };
};

let news: NewsClient;
let userId: string;
let prefix: string;
let specs = 0;
beforeEach(async () => {
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  ({ userId } = user.credentials);
  prefix = `/${(specs += 1)}`;
  slotsMs = [];
});
afterEach(async () => {
  publisher.remove('/favicon.ico');
  await app.database.query('delete from icon_place');
  await app.database.query('delete from host_state');
});

const publishIcon = (path: string, maxAge?: string) =>
  publisher.publish(path, png(`${prefix}${path}`), {
    contentType: 'image/png',
    ...(maxAge !== undefined && { headers: { 'Cache-Control': maxAge } }),
  } as PublishOptions);

/** Feeds of one website, each with a page of its own; fetched, and their icons searched for. */
async function follow(count: number, ownIcon: (n: number) => string | null = () => null) {
  const urls = Array.from({ length: count }, (_, n) => publisher.url(`${prefix}/${n}.xml`));
  for (const n of urls.keys()) {
    publish(n, ownIcon(n));
  }
  const ids = await addDueSources(app, userId, urls);
  const fetch = async () => {
    await Promise.all(ids.map((id) => app.inside(SourceRefresher).refreshNow(id)));
    await Promise.all(
      urls.map((url) => news.get(`/favicon/${createHash('md5').update(url).digest('hex')}`)),
    );
  };
  await fetch();
  return { ids, fetch };
}

const publish = (n: number, icon: string | null, items: readonly string[] = []) =>
  publisher.publish(
    `${prefix}/${n}.xml`,
    rss({
      title: `Feed ${n}`,
      link: publisher.url(`${prefix}/page/${n}`),
      items: items.map((title) => ({ title })),
      channelXml:
        icon === null ? '' : `<image><url>${publisher.url(`${prefix}${icon}`)}</url></image>`,
    }),
  );

const icons = async () =>
  (await news.feedList()).feeds.map(({ faviconLink }) =>
    faviconLink === null ? null : new URL(faviconLink).pathname,
  );

const pagesAsked = () =>
  Array.from({ length: 20 }, (_, n) => publisher.requests(`${prefix}/page/${n}`).length).reduce(
    (sum, count) => sum + count,
  );

const itIsADayLater = () =>
  app.database.query("update source set icon_checked_at = now() - interval '25 hours'");

const livesDays = async () => {
  const [row] = await app.database.query<{ days: number }>(
    `select round(extract(epoch from max(due_at) - now()) / ${DAY})::int as days from icon_place`,
  );
  return row?.days;
};

describe('the icon of a website', () => {
  it('is fetched once for its feeds, and within the slots of the host', async () => {
    publishIcon('/favicon.ico', `max-age=${DAY}`);
    await schedule.setSpacing('127.0.0.1', true);
    const feed = await schedule.takeSlot('127.0.0.1');
    expect(feed).toMatchObject({ spaced: true });

    const { fetch } = await follow(20);
    await until('the icon of each feed', async () => !(await icons()).includes(null));

    expect(await icons()).toEqual(Array.from({ length: 20 }, () => '/favicon.ico'));
    expect([pagesAsked(), publisher.requests('/favicon.ico').length]).toEqual([1, 1]);
    expect(slotsMs).toHaveLength(3);
    slotsMs
      .slice(1)
      .forEach((ms, n) => expect(ms - (slotsMs[n] ?? 0)).toBeGreaterThanOrEqual(GAP_MS));

    await itIsADayLater();
    for (const n of [0, 1, 2]) {
      publish(n, null, ['new']);
    }
    await fetch();
    expect([pagesAsked(), publisher.requests('/favicon.ico').length]).toEqual([1, 1]);
  });

  it('is not fetched by two processes', async () => {
    const asked = publisher.requests('/favicon.ico').length;
    publishIcon('/favicon.ico');
    const website = `website ${new URL(publisher.url('/')).origin}`;
    // By another process, which is asking.
    expect(await app.inside(IconsRepository).show(website, 0)).toMatchObject({ isDue: true });

    await follow(1);

    expect([pagesAsked(), publisher.requests('/favicon.ico').length]).toEqual([0, asked]);
    expect(await icons()).toEqual([null]);
  });

  it.each([
    ['max-age=60', 1],
    [`max-age=${3 * DAY}`, 3],
    [`max-age=${365 * DAY}`, 30],
    [undefined, 7],
  ])('with %s is fetched again after %s days, and stays if there is none', async (age, days) => {
    publishIcon('/favicon.ico', age);
    const { fetch } = await follow(1);
    const asked = publisher.requests('/favicon.ico').length;
    expect(await livesDays()).toBe(days);

    publisher.fail('/favicon.ico', 404);
    await app.database.query('update icon_place set due_at = now()');
    await itIsADayLater();
    publish(0, null, ['new']);
    await fetch();

    expect(publisher.requests('/favicon.ico')).toHaveLength(asked + 1);
    expect([await icons(), await livesDays()]).toEqual([['/favicon.ico'], 7]);
  });
});

describe('an icon of its own', () => {
  it('is kept by each feed, and fetched once for those that share it', async () => {
    publishIcon('/favicon.ico');
    publishIcon(`${prefix}/a.png`);
    publishIcon(`${prefix}/b.png`);

    const { fetch } = await follow(
      5,
      (n) => ['/a.png', '/b.png', '/a.png', '/lost.png', null][n] ?? null,
    );
    // Unchanged documents name no icon.
    await itIsADayLater();
    await fetch();

    const [a, b] = [`${prefix}/a.png`, `${prefix}/b.png`];
    expect(await icons()).toEqual([a, b, a, '/favicon.ico', '/favicon.ico']);
    expect([a, b, `${prefix}/lost.png`].map((at) => publisher.requests(at).length)).toEqual([
      1, 1, 1,
    ]);
    expect(pagesAsked()).toBe(1);
  });
});

describe('a host that rests', () => {
  it('gets no requests for icons', async () => {
    await schedule.pauseHost('127.0.0.1', 3600);

    await follow(1, () => '/a.png');

    expect([pagesAsked(), publisher.requests(`${prefix}/a.png`).length]).toEqual([0, 0]);
  });

  it('may have asked for it by an answer to a request for an icon', async () => {
    publisher.fail(`${prefix}/a.png`, 429, { 'Retry-After': '86400' });

    const { ids } = await follow(3, () => '/a.png');

    const state = await schedule.stateOf(ids[0] ?? 0);
    expect(state?.hostPausedUntilSeconds).toBeGreaterThan(Date.now() / 1000 + DAY - 60);
    expect([pagesAsked(), publisher.requests(`${prefix}/a.png`).length]).toEqual([0, 1]);
  });
});
