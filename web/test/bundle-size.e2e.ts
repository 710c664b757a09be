import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from './fixtures.js';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const MOST_BYTES = 150_000;

test(
  'the reader’s first load takes less than 150 kB of compressed scripts',
  { tag: '@main' },
  async ({ page, ada, service }) => {
    const scripts = new Set<string>();
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') {
        scripts.add(new URL(response.url()).pathname);
      }
    });
    await page.goto(`${service.url}/apps/news/`);
    await page.getByRole('heading', { name: 'What would you like to read?' }).waitFor();
    await page.waitForLoadState('load');
    expect(ada.userId).not.toBe('');

    const sizes = [...scripts].map((path) => {
      const name = /assets\/[^/]+\.js$/.exec(path)?.[0];
      return name === undefined ? 0 : gzipSync(readFileSync(DIST + name), { level: 6 }).length;
    });
    const total = sizes.reduce((sum, size) => sum + size, 0);

    expect(scripts.size).toBeGreaterThan(3);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(MOST_BYTES);
  },
);
