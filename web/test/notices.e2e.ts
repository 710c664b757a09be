import type { Page, Worker } from '@playwright/test';
import type { FeedServer } from '../../test/support/feed-server.js';
import { startNoticeReceiver, type NoticeReceiver } from '../../test/support/notice-receiver.js';
import { ADMIN, expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { addFolder, articlesOf, publishFeed, storedItems, subscribe } from './reader-feeds.js';
import { startService, type Person, type Service } from './service.js';

const NEWS = '/index.php/apps/news/api/v1-3';
const SIZES = { wide: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } };

interface ForOne {
  readonly receiver: NoticeReceiver;
  /** Opens the channels of Ada. */
  readonly open: () => Promise<void>;
}

const test = base.extend<ForOne, { service: Service }>({
  service: [
    async ({ playwright: _playwright }, use) => {
      // A sender whom push services could write to.
      const service = await startService({
        GATEFOLD_SMTP_URL: 'smtp://127.0.0.1:9',
        GATEFOLD_MAIL_FROM: 'gatefold@example.org',
      });
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  receiver: async ({ playwright: _playwright }, use) => {
    const receiver = await startNoticeReceiver();
    await use(receiver);
    await receiver.close();
  },
  open: async ({ page, ada: _ada, service }, use) => {
    await use(async () => {
      await page.goto(`${service.url}/settings/user/notices`);
      await expect(page.getByRole('heading', { level: 1, name: 'Notices' })).toBeVisible();
    });
  },
});

const dialog = (page: Page) => page.getByRole('dialog');
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' }).click();

async function addNtfy(page: Page, server: string, topic: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'ntfy', exact: true }).click();
  await dialog(page).getByLabel('Address').fill(server);
  await dialog(page).getByLabel('Topic', { exact: true }).fill(topic);
  await dialog(page).getByLabel('Name').fill(name);
  await save(page);
  await expect(dialog(page)).toHaveCount(0);
}

const channelsOf = async (service: Service, person: Person) =>
  ((await service.call(person, 'GET', `${NEWS}/channels`)) as { channels: { name: string }[] })
    .channels;

/** A picture at both sizes, of the whole page. */
async function keepBoth(
  page: Page,
  keepPicture: (name: string) => Promise<void>,
  name: string,
): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize({ ...viewport, height: 1900 });
    await keepPicture(`notices-${name}-${size}`);
  }
  await page.setViewportSize(SIZES.wide);
}

test(
  'ntfy is added with a topic that is hard to guess, tried, switched off, changed and removed',
  { tag: '@main' },
  async ({ page, open, receiver, ada, service, keepPicture }) => {
    await open();
    await expect(page.getByText('No channel yet')).toBeVisible();
    await page.getByRole('button', { name: 'ntfy', exact: true }).click();
    await expect(dialog(page).getByLabel('Address')).toHaveValue('https://ntfy.sh');
    await expect(dialog(page).getByLabel('Topic', { exact: true })).toHaveValue(
      /^gatefold-\w{16}$/,
    );
    await expectAccessible(page);
    await keepBoth(page, keepPicture, 'ntfy');
    await page.keyboard.press('Escape');
    await addNtfy(page, receiver.url('/'), 'ada-news', 'My phone');

    const row = page.getByRole('listitem').filter({ hasText: 'My phone' });
    await expect(row).toContainText(`ntfy · ${new URL(receiver.url('/')).host}`);
    await row.getByRole('button', { name: 'Try it' }).click();
    await expect(row.getByRole('status')).toHaveText('The message was sent.');
    expect(receiver.received[0]).toMatchObject({ path: '/', json: { topic: 'ada-news' } });

    receiver.usual = 500;
    await row.getByRole('button', { name: 'Try it' }).click();
    await expect(row.getByRole('status')).toContainText('500');
    await expectAccessible(page);
    await keepBoth(page, keepPicture, 'channels');

    await row.getByRole('switch', { name: 'On' }).click();
    await expect(row.getByText('off', { exact: true })).toBeVisible();
    expect(await channelsOf(service, ada)).toMatchObject([{ enabled: false }]);

    await page.getByRole('button', { name: 'Change “My phone”' }).click();
    await expect(dialog(page).getByLabel('Address')).toHaveValue('');
    await expect(dialog(page).getByLabel('Token, if the topic is protected')).toHaveValue('');
    await dialog(page).getByLabel('Name').fill('Old phone');
    await dialog(page).getByLabel('Also tell about private feeds').check();
    await save(page);
    await expect(page.getByText('private feeds, too')).toBeVisible();
    expect(await channelsOf(service, ada)).toMatchObject([
      { name: 'Old phone', privateFeeds: true },
    ]);

    await page.getByRole('button', { name: 'Remove “Old phone”' }).click();
    await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(page.getByText('No channel yet')).toBeVisible();
    expect(await channelsOf(service, ada)).toEqual([]);
  },
);

test('a webhook is signed with a key that is shown once, and a wrong address is said in place', async ({
  page,
  open,
  receiver,
}) => {
  await open();
  await page.getByRole('button', { name: 'Another service' }).click();
  await dialog(page).getByLabel('Service').selectOption('Webhook');
  await dialog(page).getByLabel('Address').fill('ftp://example.org/');
  await save(page);
  await expect(dialog(page).getByRole('alert')).toContainText('http');
  await dialog(page).getByLabel('Address').fill(receiver.url('/hook'));
  await save(page);
  await expect(dialog(page).getByRole('textbox', { name: 'Key for signatures' })).toHaveValue(
    /^whsec_/,
  );
  await dialog(page).getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByText('The message was sent.')).toBeVisible();
  expect(receiver.received[0]?.path).toBe('/hook');
  expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,/);
});

test('quiet hours with their days and time zone are kept', async ({ page, open }) => {
  await open();
  const card = page.getByRole('region', { name: 'When and how much' });
  await card.getByLabel('Quiet hours').check();
  await card.getByLabel('From').fill('21:30');
  await card.getByLabel('To', { exact: true }).fill('06:15');
  await card.getByLabel('Sat').uncheck();
  await card.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await card.getByLabel('Do not tell me while I am reading here').check();
  await card.getByLabel('Most notices per rule and hour').fill('5');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();

  await open();
  await expect(card.getByLabel('From')).toHaveValue('21:30');
  await expect(card.getByLabel('To', { exact: true })).toHaveValue('06:15');
  await expect(card.getByLabel('Sat')).not.toBeChecked();
  await expect(card.getByLabel('Sun')).toBeChecked();
  await expect(card.getByLabel('Time zone')).toHaveValue('Asia/Tokyo');
  await expect(card.getByLabel('Do not tell me while I am reading here')).toBeChecked();
  await expect(card.getByLabel('Most notices per rule and hour')).toHaveValue('5');
});

/**
 * Chromium without a window shows no notices and has no push service: what the page asks the browser for is
 * answered here, and kept like a browser keeps it.
 */
async function answerForPushService(page: Page, permission: NotificationPermission): Promise<void> {
  await page.addInitScript((given) => {
    const stored = () =>
      JSON.parse(localStorage.getItem('push-service') ?? 'null') as object | null;
    const keep = (value: unknown) => localStorage.setItem('push-service', JSON.stringify(value));
    const subscriptionOf = (kept: { endpoint?: string; key?: number[] } | null) =>
      kept && {
        endpoint: kept.endpoint,
        options: { applicationServerKey: new Uint8Array(kept.key ?? []).buffer },
        toJSON: () => ({
          endpoint: kept.endpoint,
          keys: {
            p256dh:
              'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            auth: 'BTBZMqHH6r4Tts7J_aSIgg',
          },
        }),
        unsubscribe: () => Promise.resolve(keep(null) === undefined),
      };
    Object.defineProperty(Notification, 'permission', { get: () => given });
    Notification.requestPermission = () => Promise.resolve(given);
    Object.assign(PushManager.prototype, {
      getSubscription: () => Promise.resolve(subscriptionOf(stored())),
      subscribe({ applicationServerKey: key }: { applicationServerKey: string }) {
        const text = atob(key.replaceAll('-', '+').replaceAll('_', '/'));
        const kept = {
          endpoint: `https://push.example/${crypto.randomUUID()}`,
          key: [...text].map((character) => character.charCodeAt(0)),
        };
        keep(kept);
        return Promise.resolve(subscriptionOf(kept));
      },
    });
  }, permission);
}

const subscription = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('push-service') ?? 'null') as object | null);

test('notices in this browser are turned on by a click, survive another key, and end with the log-out', async ({
  page,
  open,
  ada,
  service,
  keepPicture,
}) => {
  await answerForPushService(page, 'granted');
  await open();
  const card = page.getByRole('region', { name: 'This browser' });
  await keepBoth(page, keepPicture, 'browser');
  await card.getByRole('button', { name: 'Turn on in this browser' }).click();
  await expect(page.getByText('this browser', { exact: true })).toBeVisible();
  expect(await channelsOf(service, ada)).toMatchObject([
    { kind: 'push', name: 'Chrome, Linux', target: 'push.example' },
  ]);

  // The keys of the service were lost: the page notices it when it starts.
  const before = await subscription(page);
  await page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem('push-service') ?? '{}') as { key: number[] };
    localStorage.setItem('push-service', JSON.stringify({ ...kept, key: [1, 2, 3] }));
  });
  await page.goto(`${service.url}/apps/news/`);
  await expect.poll(() => subscription(page)).not.toMatchObject({ key: [1, 2, 3] });
  expect(await subscription(page)).not.toEqual(before);
  await expect.poll(() => channelsOf(service, ada)).toHaveLength(1);

  await open();
  await card.getByRole('button', { name: 'Turn off in this browser' }).click();
  await expect(page.getByText('No channel yet')).toBeVisible();
  expect(await subscription(page)).toBeNull();

  await card.getByRole('button', { name: 'Turn on in this browser' }).click();
  await expect(page.getByText('this browser', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: `Menu of ${ada.userId}` }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL(/\/login/);
  expect(await channelsOf(service, ada)).toEqual([]);
});

test('another user of the browser is not told what was for the first', async ({
  page,
  open,
  ada,
  service,
}) => {
  await answerForPushService(page, 'granted');
  await open();
  await page.getByRole('button', { name: 'Turn on in this browser' }).click();
  await expect(page.getByText('this browser', { exact: true })).toBeVisible();
  await service.run(['session:revoke', ada.userId]);
  await logIn(page, service, await service.addPerson('grace'), '/apps/news/');

  await expect.poll(() => subscription(page)).toBeNull();
});

test('a browser that may not or cannot show notices is told why', async ({
  page,
  open,
  keepPicture,
}) => {
  await answerForPushService(page, 'denied');
  await open();
  await expect(page.getByText('This browser was told not to show notices')).toBeVisible();
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'PushManager');
    Object.defineProperty(navigator, 'standalone', { value: false });
  });
  await open();
  await expect(page.getByText('choose “Add to Home Screen”')).toBeVisible();
  await keepBoth(page, keepPicture, 'iphone');
});

/** The worker of the page, with a list of the notices that it would show. */
async function workerOf(page: Page): Promise<Worker> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  const [worker] = page.context().serviceWorkers();
  if (worker === undefined) {
    throw new Error('The page has no worker.');
  }
  await worker.evaluate(() => {
    const shown: object[] = [];
    const { registration } = globalThis as unknown as { registration: object };
    Object.assign(globalThis, { shown });
    Object.assign(registration, {
      showNotification: (title: string, options: object) =>
        Promise.resolve(void shown.push({ title, ...options })),
    });
  });
  return worker;
}

const shownIn = (worker: Worker) =>
  worker.evaluate(() => (globalThis as unknown as { shown: object[] }).shown);

/** Clicks the latest notice, or one of its buttons. */
const click = (worker: Worker, action: string) =>
  worker.evaluate(async (chosen) => {
    const notification = (globalThis as unknown as { shown: object[] }).shown.at(-1);
    const event = Object.assign(new Event('notificationclick'), {
      notification: { ...notification, close: () => {} },
      action: chosen,
      waitUntil: (work: Promise<void>) => Object.assign(globalThis, { work }),
    });
    dispatchEvent(event);
    await (globalThis as unknown as { work: Promise<void> }).work.catch(() => {});
  }, action);

async function push(page: Page, data: unknown): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [found] }) =>
      found === undefined ? undefined : resolve(found.registrationId),
    );
  });
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await registered,
    data: JSON.stringify(data),
  });
}

test('the worker shows a notice; its click opens the article in the reader, and its buttons act', async ({
  page,
  ada,
  service,
  feeds,
}) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/push.xml', 'Push', 3));
  const id = (await storedItems(service, ada)).get('Push article 2')?.id ?? 0;
  await page.goto(`${service.url}/apps/news/starred`);
  const worker = await workerOf(page);
  const at = `${service.url}/apps/news/notices/one-purpose`;
  const asked: string[] = [];
  await page.context().route('**/apps/news/notices/**', async (route) => {
    asked.push(`${route.request().method()} ${new URL(route.request().url()).pathname}`);
    await route.fulfill({ status: asked.length > 1 ? 404 : 200 });
  });
  await push(page, {
    web_push: 8030,
    notification: {
      title: 'Push article 2',
      body: 'Push',
      navigate: `${service.url}/apps/news/feeds/${feedId}/items/${id}`,
      lang: 'en',
      dir: 'ltr',
      tag: 't2',
      data: {
        buttons: {
          read: `${at}/read`,
          star: `${at}/star`,
          words: { read: 'Mark as read', star: 'Star' },
        },
      },
    },
  });
  await expect.poll(() => shownIn(worker)).toHaveLength(1);
  expect(await shownIn(worker)).toMatchObject([
    {
      title: 'Push article 2',
      body: 'Push',
      tag: 't2',
      actions: [
        { action: 'read', title: 'Mark as read' },
        { action: 'star', title: 'Star' },
      ],
    },
  ]);

  await click(worker, 'read');
  expect(asked).toEqual(['POST /apps/news/notices/one-purpose/read']);
  await expect(page).toHaveURL(/starred/);

  // A button that does not work leads to the article, too.
  await click(worker, 'star');
  await expect(page.getByRole('article')).toContainText('Text of article 2');
  await page.goto(`${service.url}/apps/news/starred`);
  await click(worker, '');
  await expect(page.getByRole('article')).toContainText('Text of article 2');

  // Something is shown also for what is no notice: browsers want that.
  await push(page, 'no notice');
  await expect.poll(() => shownIn(worker)).toHaveLength(2);
  expect((await shownIn(worker))[1]).toMatchObject({ title: 'Gatefold' });
});

test('the worker ends the subscription of the browser with the session', async ({
  page,
  ada,
  service,
}) => {
  await page.goto(`${service.url}/apps/news/`);
  const worker = await workerOf(page);
  await worker.evaluate(() => {
    const unsubscribe = () => Promise.resolve(Object.assign(globalThis, { hasEnded: true }));
    PushManager.prototype.getSubscription = () =>
      Promise.resolve({ unsubscribe } as unknown as PushSubscription);
  });
  const hasEnded = () => worker.evaluate(() => 'hasEnded' in globalThis);
  expect(await hasEnded()).toBe(false);
  await service.run(['session:revoke', ada.userId]);
  await page.goto(`${service.url}/apps/news/`);

  await expect(page).toHaveURL(/\/login/);
  await expect.poll(hasEnded).toBe(true);
});

/** A new article besides the two of the feed, which is then fetched. */
async function publishNews(
  service: Service,
  person: Person,
  feeds: FeedServer,
  feedId: number,
  title: string,
): Promise<void> {
  const link = `https://publisher.example/${encodeURIComponent(title)}`;
  const news = { title, guid: title, link, body: `<p>Text of ${title}.</p>`, pubDate: new Date() };
  publishFeed(feeds, '/bell.xml', 'Bell', [news, ...articlesOf('Bell', 2)]);
  await service.call(person, 'POST', `${NEWS}/feeds/${feedId}/refresh`);
}

test('the bell of a feed tells of its new articles, and the list says what became of each', async ({
  page,
  open,
  receiver,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const folderId = await addFolder(service, ada, 'Papers');
  const url = publishFeed(feeds, '/bell.xml', 'Bell', 2);
  const feedId = await subscribe(service, ada, url, folderId);
  await open();
  await addNtfy(page, receiver.url('/'), 'bell', 'My phone');
  await page.goto(`${service.url}/apps/news/`);
  const tree = page.getByRole('navigation', { name: 'Feeds' });
  await tree.getByRole('link', { name: 'Bell' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Notices' }).click();
  await dialog(page)
    .getByRole('switch', { name: /every new article of this feed/ })
    .check();
  await expectAccessible(page);
  await keepBoth(page, keepPicture, 'bell');
  await save(page);
  await expect(tree.getByLabel('You are told about it')).toBeVisible();

  await publishNews(service, ada, feeds, feedId, 'The bell rings');
  await expect.poll(() => receiver.received, { timeout: 30_000 }).toHaveLength(1);
  expect(receiver.received[0]?.json).toMatchObject({ topic: 'bell', title: 'The bell rings' });

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'What you were told' }).click();
  await expect(page.getByRole('listitem')).toContainText(['arrived']);
  await expect(page.getByText('Rule “New: Bell”, by My phone')).toBeVisible();
  await expectAccessible(page);
  await keepBoth(page, keepPicture, 'told');
  await page.getByRole('link', { name: 'The bell rings' }).click();
  await expect(page.getByRole('article')).toContainText('Text of');

  // The folder has a bell of its own, and knows the other one.
  await page.goto(`${service.url}/apps/news/folders/${folderId}`);
  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitem', { name: 'Notices' }).click();
  await expect(dialog(page).getByRole('link', { name: 'New: Bell' })).toBeVisible();
  await expect(dialog(page).getByRole('switch')).not.toBeChecked();
  await page.keyboard.press('Escape');
  await page.goto(`${service.url}/apps/news/feeds/${feedId}`);
  await page.getByRole('button', { name: 'List options' }).click();
  await page.getByRole('menuitem', { name: 'Notices' }).click();
  // Known once the rules are there.
  await expect(dialog(page).getByRole('switch')).toBeChecked();
  await dialog(page).getByRole('switch').uncheck();
  await save(page);
  await expect(tree.getByLabel('You are told about it')).toHaveCount(0);
});

test('a channel that is gone is given up: its user and the administrator see why, and it is tried again', async ({
  page,
  open,
  receiver,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const feedId = await subscribe(service, ada, publishFeed(feeds, '/bell.xml', 'Bell', 2));
  await open();
  await addNtfy(page, receiver.url('/'), 'secret-topic', 'My phone');
  const scope = {
    everything: true,
    feedIds: [],
    folderIds: [],
    exceptFeedIds: [],
    exceptFolderIds: [],
  };
  await service.call(ada, 'POST', `${NEWS}/rules`, {
    name: 'Rings',
    enabled: true,
    scope,
    query: 'intitle:rings',
    actions: [{ type: 'notify', urgent: false, channelIds: null }],
    stopAfter: false,
    until: null,
  });
  receiver.usual = 410;
  await publishNews(service, ada, feeds, feedId, 'The phone rings');
  await expect.poll(() => receiver.received).toHaveLength(1);

  await expect(async () => {
    await open();
    await expect(page.getByText('given up')).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByText('Turned off:')).toContainText('410');
  await keepBoth(page, keepPicture, 'failing');
  await logIn(page, service, ADMIN, '/settings/admin/overview');
  const row = page.getByRole('row').filter({ hasText: ada.userId });
  await expect(row).toContainText('ntfy');
  await expect(row).toContainText('410');
  await expect(page.getByText('secret-topic')).toHaveCount(0);
  await expect(page.getByText('rings')).toHaveCount(0);
  await expectAccessible(page);
  await keepBoth(page, keepPicture, 'admin');

  receiver.usual = 200;
  await logIn(page, service, ada);
  await open();
  await page.getByRole('switch', { name: 'On' }).click();
  await expect(page.getByText('given up')).toHaveCount(0);
  await page.getByRole('link', { name: 'What you were told' }).click();
  await expect(page.getByRole('listitem')).toContainText(['failed']);
  await keepBoth(page, keepPicture, 'failed');
  await page.getByRole('button', { name: 'Try again: The phone rings' }).click();
  await expect.poll(() => receiver.received).toHaveLength(2);
});

test('the pages of notices can be read in dark, in forced colours, and from right to left', async ({
  page,
  open,
  receiver,
  keepPicture,
}) => {
  await open();
  await addNtfy(page, receiver.url('/'), 'looks', 'هاتف');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepBoth(page, keepPicture, 'dark');
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await keepBoth(page, keepPicture, 'forced');
  await page.emulateMedia({ forcedColors: 'none' });
  await page.goto(page.url().replace('notices', 'profile'));
  await page.getByLabel('Language', { exact: true }).selectOption('العربية');
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await page.goto(page.url().replace('profile', 'notices'));
  await expect(page.getByText('هاتف')).toBeVisible();
  await keepBoth(page, keepPicture, 'rtl');
});
