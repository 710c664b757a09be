import { expect, test as base, type Page } from '@playwright/test';
import { startFeedServer, type FeedServer } from '../../test/support/feed-server.js';
import { violationsOf } from './accessibility.js';
import { ADMIN, startService, type Person, type Service } from './service.js';

interface ForAll {
  readonly service: Service;
  readonly feeds: FeedServer;
}

interface ForOne {
  /** A new user, logged in in `page`. */
  readonly ada: Person;
  readonly keepPicture: (name: string) => Promise<void>;
  readonly keepLooks: (name: string) => Promise<void>;
}

const WIDE = { width: 1360, height: 800 };
const PHONE = { width: 390, height: 844 };
/** WCAG 2.2, 1.4.10. */
const NARROWEST = { width: 320, height: 640 };

/** One service and one publisher for all tests of a worker; a separate user for each test. */
export const test = base.extend<ForOne, ForAll>({
  service: [
    async ({ playwright: _playwright }, use) => {
      const service = await startService();
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  feeds: [
    async ({ playwright: _playwright }, use) => {
      const feeds = await startFeedServer();
      await use(feeds);
      await feeds.close();
    },
    { scope: 'worker' },
  ],
  ada: async ({ page, service }, use) => {
    const ada = await service.addPerson();
    await logIn(page, service, ada);
    await use(ada);
  },
  /** Keeps a screenshot for people to look at; CI, where nobody does, saves the time. */
  keepPicture: async ({ page }, use) => {
    await use(async (name) => {
      if (process.env['CI'] === 'true') {
        return;
      }
      await page.screenshot({
        path: `web/test-results/screenshots/${name}.png`,
        animations: 'disabled',
      });
    });
  },
  /** Keeps pictures of a page at two widths in both themes, where it must be accessible, and fit the narrowest one. */
  keepLooks: async ({ page, keepPicture }, use) => {
    await use(async (name) => {
      for (const [size, viewport] of Object.entries({ wide: WIDE, phone: PHONE })) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          await expectAccessible(page);
          await keepPicture(`${name}-${size}-${colorScheme}`);
        }
      }
      await page.setViewportSize(NARROWEST);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
      await page.setViewportSize(WIDE);
    });
  },
});

export { ADMIN, expect };

/** Logs in the browser of `page` by posting the login form. */
export async function logIn(
  page: Page,
  service: Service,
  { userId, password }: Person,
  place?: string,
): Promise<void> {
  const answer = await page.request.post(`${service.url}/login`, {
    form: { user: userId, password },
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(303);
  if (place !== undefined) {
    await page.goto(service.url + place);
  }
}

/** Logs in through the login page. */
export async function logInByHand(
  page: Page,
  service: Service,
  { userId, password }: Person,
  place = '/apps/news/',
): Promise<void> {
  await page.goto(`${service.url}/login?redirect_url=${encodeURIComponent(place)}`);
  await page.locator('input[name="user"]').fill(userId);
  await page.locator('input[name="password"]').fill(password);
  await page.locator('form button:not([type])').click();
  await page.waitForURL((url) => url.pathname === place);
}

/** Fails on accessibility violations of any impact. */
export async function expectAccessible(page: Page): Promise<void> {
  const violations = await violationsOf(page);

  expect(
    violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => String(target))]),
  ).toEqual([]);
}
