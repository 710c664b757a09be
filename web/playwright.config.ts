import { defineConfig } from '@playwright/test';
import { chromiumPath } from './test/chromium.js';

export default defineConfig({
  testDir: './test',
  testMatch: '**/*.e2e.ts',
  outputDir: './test-results',
  // Each worker starts its own service. Tests wait for pages more than pages compute.
  workers: 2,
  fullyParallel: false,
  // Against hanging alone: machines are busy at times.
  timeout: 180_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env['CI'] === 'true',
  // A test that passes only on a retry reveals a bug in the test or the pages.
  retries: 0,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromiumPath(),
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
