import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

/** Debian's; Playwright's own browsers are not downloaded. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
if (!existsSync(CHROMIUM)) {
  throw new Error(`Browser tests need ${CHROMIUM}: install Debian's chromium, or set CHROMIUM.`);
}

export default defineConfig({
  testDir: './test',
  testMatch: '**/*.e2e.ts',
  outputDir: './test-results',
  // Two cores are shared by the browser, the service and its database.
  workers: 1,
  fullyParallel: false,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env['CI'] === 'true',
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
