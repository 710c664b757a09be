import type { Page } from '@playwright/test';
import { rss } from '../../test/support/feed-server.js';
import { expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { articlesOf, publishFeed, subscribe } from './reader-feeds.js';
import { serveSilence } from './silence.js';

const PHONE = { width: 390, height: 844 };

/** A podcast of two episodes, each a minute of silence; the first is open. */
const test = base.extend<{ sound: string }>({
  sound: async ({ page, ada, service, feeds }, use) => {
    const sound = (n: number) => feeds.url(`/silence-${n}.wav`);
    const items = articlesOf('Podcast', 2).map((item, n) => ({
      ...item,
      title: `Episode ${n + 1}`,
      body: `<p>We begin. 00:20 The tides. ${'About the sea. '.repeat(20)}</p>`,
      enclosure: { url: sound(n + 1), type: 'audio/wav' },
    }));
    await subscribe(service, ada, publishFeed(feeds, '/silence.xml', 'Silence', items));
    await serveSilence(page, feeds.url('/silence-*.wav'));
    await page.goto(`${service.url}/apps/news/all`);
    await page.getByRole('link', { name: /Episode 1/ }).click();
    await use(sound(1));
  },
});

const playerOf = (page: Page) => page.getByRole('region', { name: 'Player' });
const stateOf = (page: Page) =>
  playerOf(page)
    .locator('audio')
    .evaluate((it: HTMLAudioElement) => ({
      isPaused: it.paused,
      at: it.currentTime,
      speed: it.playbackRate,
    }));
const positionOf = (page: Page) => playerOf(page).getByRole('slider', { name: 'Position' });

async function startPlaying(page: Page): Promise<void> {
  await page.getByRole('article').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => (await stateOf(page)).at).toBeGreaterThan(0);
}

test('the player goes on on every page, and continues where it was after a reload and elsewhere', async ({
  page,
  ada,
  service,
  browser,
  sound: _sound,
}) => {
  await startPlaying(page);
  await positionOf(page).fill('30');
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await expect(page.getByRole('heading', { name: /files/i }).first()).toBeVisible();
  await expect.poll(async () => (await stateOf(page)).at).toBeGreaterThan(30);
  expect(await stateOf(page)).toMatchObject({ isPaused: false });
  await page.goto(`${service.url}/settings/user/profile`);
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  await expect(playerOf(page)).toHaveCount(0);
  await page.goto(`${service.url}/apps/news/all`);

  await expect(playerOf(page).getByRole('link', { name: 'Episode 1' })).toBeVisible();
  await expect.poll(async () => Number(await positionOf(page).inputValue())).toBeGreaterThan(29);
  expect(await stateOf(page)).toMatchObject({ isPaused: true, at: 0 });
  await playerOf(page).getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => (await stateOf(page)).at).toBeGreaterThanOrEqual(30);
  await playerOf(page).getByRole('button', { name: 'Pause' }).click();

  const phone = await (await browser.newContext({ viewport: PHONE, locale: 'en-GB' })).newPage();
  await logIn(phone, service, ada, '/apps/news/all');
  await expect(phone.getByText('Episode 1 · 0:3')).toBeVisible();
  await expect(playerOf(phone)).toHaveCount(0);
  await expectAccessible(phone);
  await serveSilence(phone, '**/silence-*.wav');
  await phone.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(async () => Number(await positionOf(phone).inputValue())).toBeGreaterThan(29);
  await phone.getByRole('button', { name: 'Pause' }).first().click();
  await playerOf(phone).getByRole('button', { name: 'Stop playing' }).click();
  await expect(playerOf(phone)).toHaveCount(0);
  await phone.context().close();
});

test('a recording that cannot be played says so and goes', async ({ page, sound }) => {
  await page.route(sound, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('article').getByRole('button', { name: 'Play', exact: true }).click();

  await expect(page.getByText('“Episode 1” cannot be played.')).toBeVisible();
  await expect(playerOf(page)).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Episode 1' })).toBeVisible();
  await expect(playerOf(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Continue' })).toHaveCount(0);
});

test('speed, steps, keys, times in the text and the queue', async ({
  page,
  sound,
  keepPicture,
}) => {
  await page.getByRole('link', { name: /Episode 2/ }).click();
  await expect(page.getByRole('heading', { name: 'Episode 2' })).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: /Episode 1/ }).click();
  await startPlaying(page);
  await playerOf(page).getByLabel('Speed').selectOption('1.5');
  expect(await stateOf(page)).toMatchObject({ speed: 1.5 });
  await page.getByRole('button', { name: '00:20' }).click();
  await expect.poll(async () => (await stateOf(page)).at).toBeGreaterThanOrEqual(20);
  await positionOf(page).focus();
  await page.keyboard.press('Space');
  await expect.poll(async () => (await stateOf(page)).isPaused).toBe(true);
  const { at } = await stateOf(page);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => Math.round((await stateOf(page)).at)).toBe(Math.round(at) - 15);
  await playerOf(page).getByRole('button', { name: '30 seconds ahead' }).click();
  await expect.poll(async () => Math.round((await stateOf(page)).at)).toBe(Math.round(at) + 15);
  await page.getByRole('region', { name: 'Article', exact: true }).focus();
  await page.keyboard.press('Shift+P');
  await expect.poll(async () => (await stateOf(page)).isPaused).toBe(false);
  // Otherwise the next episode begins by itself when this one ends.
  await page.keyboard.press('Shift+P');
  await expect.poll(async () => (await stateOf(page)).isPaused).toBe(true);

  await page.keyboard.press('j');
  await page.getByRole('button', { name: 'Play later' }).click();
  await expect(page.getByRole('button', { name: 'In the queue', exact: true })).toBeDisabled();
  await playerOf(page).getByRole('button', { name: 'Queue', exact: true }).click();
  const queue = page.getByRole('dialog', { name: 'Queue' });
  await expect(queue.getByText('Episode 2')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  await keepPicture('player-light');
  await playerOf(page).getByRole('button', { name: 'Next in the queue' }).click();
  await expect(playerOf(page).getByRole('link', { name: 'Episode 2' })).toBeVisible();
  await expect(playerOf(page).locator('audio')).not.toHaveAttribute('src', sound);
});

test('on a phone the player leaves the last row free', async ({
  page,
  sound: _sound,
  keepPicture,
}) => {
  await page.setViewportSize(PHONE);
  await startPlaying(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const bar = await playerOf(page).boundingBox();
  const article = await page.getByRole('region', { name: 'Article', exact: true }).boundingBox();

  expect(Math.round((bar?.y ?? 0) + (bar?.height ?? 0))).toBe(PHONE.height);
  expect(bar?.height).toBeLessThanOrEqual(88);
  expect((article?.y ?? 0) + (article?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await expectAccessible(page);
  await keepPicture('player-phone-dark');

  // A message is between the list and the player, over neither.
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  const message = page.locator('.toast', { hasText: 'All marked as read.' });
  const [shown, list] = [await message.boundingBox(), await page.locator('.items').boundingBox()];
  expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(shown?.y ?? 0);
  expect(list?.width).toBeGreaterThan(PHONE.width - 2);
  expect((shown?.y ?? 0) + (shown?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  await keepPicture('player-phone-message');
});

test('without a connection the player shows after a reload where it was', async ({
  page,
  context,
  sound: _sound,
}) => {
  await startPlaying(page);
  await positionOf(page).fill('30');
  await playerOf(page).getByRole('button', { name: 'Pause' }).click();
  await expect
    .poll(() => page.evaluate(async () => (await caches.match('/apps/news/')) !== undefined))
    .toBe(true);
  await context.setOffline(true);
  await page.reload();

  expect(Number(await positionOf(page).inputValue())).toBeGreaterThanOrEqual(30);
  await expect(playerOf(page).locator('.time').last()).toHaveText('1:00');
});

test('a recording begins where another device was later, not where this one was offline', async ({
  page,
  ada,
  service,
  sound: _sound,
}) => {
  await expect(page).toHaveURL(/items\/\d+/);
  const itemId = Number(/items\/(\d+)/.exec(page.url())?.[1]);
  const root = '/apps/news/api/v1-3/playback';
  await service.call(ada, 'PUT', `${root}/${itemId}`, { position: 40, duration: 60 });
  await page.evaluate(
    ([name, id]) => {
      const unsaved = { position: 10, duration: 60, at: Date.now() - 3_600_000 };
      localStorage.setItem(`gatefold-positions-${name}`, JSON.stringify([[id, unsaved]]));
    },
    [ada.userId, itemId] as const,
  );
  await page.reload();
  await startPlaying(page);

  await expect.poll(async () => (await stateOf(page)).at).toBeGreaterThanOrEqual(40);
  await playerOf(page).getByRole('button', { name: 'Pause' }).click();
  await expect
    .poll(() => service.call(ada, 'GET', root))
    .toMatchObject({ positions: [{ itemId, duration: 60 }] });
});

test('chapters are listed, marked and gone to, by mouse, keys and the system', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  await page.addInitScript(() => {
    const handlers = new Map<string, MediaSessionActionHandler | null>();
    Object.assign(window, { press: (action: string) => handlers.get(action)?.({} as never) });
    navigator.mediaSession.setActionHandler = (action, handler) => handlers.set(action, handler);
  });
  const press = (action: string) =>
    page.evaluate((name) => (window as unknown as { press(it: string): void }).press(name), action);
  const published = JSON.stringify({
    version: '1.2.0',
    chapters: [
      { startTime: 0, title: 'Welcome' },
      { startTime: 20, title: 'The tides', url: 'https://publisher.example/tides' },
      { startTime: 40, title: 'Letters from listeners, who ask what the moon has to do with it' },
    ],
  });
  const items = articlesOf('Talks', 2)
    .map((item, n) => ({
      ...item,
      enclosure: { url: feeds.url(`/talk-${n}.wav`), type: 'audio/wav' },
    }))
    .map((item, n) =>
      n === 0 ? item : { ...item, body: '<p>00:00 Opening<br>00:30 - The end</p>' },
    );
  feeds.publish('/chapters.json', published, { contentType: 'application/json' });
  const feed = rss({ title: 'Talks', link: feeds.url('/'), items });
  feeds.publish(
    '/talks.xml',
    feed
      .replace('<rss ', '<rss xmlns:podcast="https://podcastindex.org/namespace/1.0" ')
      .replace('</item>', `<podcast:chapters url="${feeds.url('/chapters.json')}"/></item>`),
  );
  await subscribe(service, ada, feeds.url('/talks.xml'));
  await serveSilence(page, feeds.url('/talk-*.wav'));
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Talks article 1/ }).click();
  await startPlaying(page);
  await playerOf(page).getByRole('button', { name: 'Pause' }).click();
  await playerOf(page).getByRole('button', { name: 'Chapters' }).click();
  const list = page.getByRole('dialog', { name: 'Chapters' });

  await expect(list.getByRole('button', { name: /Welcome/ })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(list.getByRole('button', { name: /The tides/ })).toHaveAttribute('aria-current');
  expect((await stateOf(page)).at).toBeCloseTo(20, 0);
  await expectAccessible(page);
  await keepPicture('chapters-light');
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(playerOf(page).getByText('The tides')).toBeVisible();
  await press('nexttrack');
  await expect(playerOf(page).getByText(/Letters from/)).toBeVisible();
  await press('previoustrack');
  await expect(playerOf(page).getByText('The tides')).toBeVisible();

  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await playerOf(page).getByRole('button', { name: 'Chapters' }).click();
  await list.getByRole('button', { name: /Letters/ }).click();
  await expect(list.getByRole('button', { name: /Letters/ })).toHaveAttribute('aria-current');
  await expectAccessible(page);
  await keepPicture('chapters-phone-dark');
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  await keepPicture('chapters-bar-phone-dark');

  // Without a document, times at the beginnings of lines are chapters.
  await page.goto(`${service.url}/apps/news/all`);
  await page.getByRole('link', { name: /Talks article 2/ }).click();
  await page.getByRole('article').getByRole('button', { name: 'Play', exact: true }).click();
  await expect(playerOf(page).getByText('Opening')).toBeVisible();
  await playerOf(page).getByRole('button', { name: 'Chapters' }).click();
  await list.getByRole('button', { name: /The end/ }).click();
  await expect.poll(async () => (await stateOf(page)).at).toBeGreaterThanOrEqual(30);
});
