import { test as base } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, expectAccessible, logIn } from './fixtures.js';
import type { Service } from './service.js';

const LAUNCHER = fileURLToPath(new URL('../../bin/gatefold.mjs', import.meta.url));
/** `npm run pictures` renews the pictures of README.md. */
const PICTURES = process.env['README_PICTURES'] ?? 'web/test-results/screenshots';
const DEMO = { userId: 'demo', password: 'gatefold-demo' };

const test = base.extend<object, { demo: string }>({
  /** The address of a running demo. */
  demo: [
    async ({ browserName: _browserName }, use) => {
      const child = spawn(process.execPath, [LAUNCHER, 'demo'], {
        env: { PATH: process.env['PATH'], GATEFOLD_PORT: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let complaints = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
      const address = Promise.withResolvers<string>();
      child.once('exit', () => address.reject(new Error(`The demo ended: ${complaints}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /^Open (\S+) in a browser/.exec(line)?.[1];
        if (found !== undefined) {
          address.resolve(found);
        }
      });
      await use(await address.promise);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      expect(complaints, 'of Node.js').not.toContain('Warning');
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

test('the demo shows articles with pictures, a podcast, files, a conversation and an app', async ({
  page,
  demo,
}) => {
  const picture = (name: string) =>
    page.screenshot({ path: `${PICTURES}/${name}.png`, animations: 'disabled' });
  await logIn(page, { url: demo } as Service, DEMO, '/apps/news/all/');
  await page.getByRole('link', { name: /^Harbour Log/ }).click();
  await page.getByRole('link', { name: /The lighthouse has a new lamp/ }).click();
  const article = page.getByRole('article').filter({ hasText: 'It turns once in' });
  await expect(article.getByRole('img').first()).toHaveJSProperty('naturalWidth', 960);
  await picture('reader-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture('reader-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await expect(page.getByRole('list', { name: 'Articles' })).toBeVisible();
  await picture('reader-phone');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: /^Small Machines/ }).click();
  await page.getByRole('link', { name: /How wrong are the clocks/ }).click();
  await expect(page.getByRole('table')).toBeVisible();
  await expectAccessible(page);
  await picture('article');
  await page.getByRole('button', { name: 'Help with this article' }).click();
  const kept = page.waitForResponse(/\/preferences/);
  await page.getByRole('menuitem', { name: 'Translation' }).click();
  await expect(page.getByRole('heading', { name: 'HOW WRONG ARE THE CLOCKS' })).toBeVisible();
  expect((await kept).status(), 'of the chosen language').toBe(200);

  await page.goto(`${demo}/apps/files/Pictures`);
  await expect(page.getByText('Bay in the evening.jpg')).toBeVisible();
  await page.getByRole('button', { name: 'Grid view' }).click();
  const tile = page.getByRole('gridcell', { name: 'Bay in the evening.jpg' });
  await expect(tile.locator('img')).toHaveJSProperty('naturalWidth', 256);
  await picture('files');

  await page.goto(`${demo}/apps/spreed/`);
  await page.getByRole('link', { name: /Reading circle/ }).click();
  await expect(page.getByText('The footnotes are the best part')).toBeVisible();
  await page.goto(`${demo}/settings/admin/apps`);
  await expect(page.getByRole('link', { name: /Hello/ }).first()).toBeVisible();
});
