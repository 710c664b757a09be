const shared = {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json'],
  transform: {},
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/src/**/*.spec.ts'],
    },
    {
      ...shared,
      displayName: 'api',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/jest/global-setup.mjs',
      globalTeardown: '<rootDir>/test/support/jest/global-teardown.mjs',
    },
  ],
  // Against hanging alone: machines are busy at times, and what is fast enough is for bench/ to say.
  testTimeout: 60_000,
  // Specs wait for the database more than they compute; jest would leave a core of two unused.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '1GB',
};
