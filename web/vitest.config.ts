import { defineConfig } from 'vitest/config';

/** Rules of the pages: without a browser, and without Vue's plugin, since a rule imports no component. */
export default defineConfig({
  test: {
    include: ['web/src/**/*.spec.ts'],
    pool: 'threads',
    isolate: false,
  },
});
