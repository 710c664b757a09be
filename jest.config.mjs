import { readFileSync } from 'node:fs';

// The same compiler settings as the build, except that here the specs are compiled too.
const {
  $schema: _schema,
  exclude: _specs,
  ...swc
} = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['<rootDir>/test/support/load-cleaner-first.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Against hanging alone: machines are busy at times, and what is fast enough is for bench/ to say.
  testTimeout: 60_000,
  // Specs wait for the database more than they compute; jest would leave a core of two unused.
  maxWorkers: '100%',
  // Modules that jest links stay in memory as long as their worker.
  workerIdleMemoryLimit: '1GB',
};
