/** Specs run as modules of Node.js; see test/support/jest/runtime.cjs. */
const shared = {
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json'],
  transform: {},
};

/** Specs of test/ that need no database. */
const WITHOUT_DATABASE = [
  'architecture.spec.ts',
  'deployment.spec.ts',
  'documentation.spec.ts',
  'launcher.spec.ts',
  'lint.spec.ts',
  'news/identity-histories.spec.ts',
  'platform/pages/frame-messages.spec.ts',
  'support/temporary-folder.spec.ts',
  'support/until.spec.ts',
  'rows.spec.ts',
  'sentences.spec.ts',
  'texts.spec.ts',
  'what-leaves.spec.ts',
];

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/src/**/*.spec.ts',
        '<rootDir>/tools/**/*.spec.ts',
        ...WITHOUT_DATABASE.map((name) => `<rootDir>/test/${name}`),
      ],
    },
    {
      ...shared,
      displayName: 'api',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: [
        ...WITHOUT_DATABASE.map((name) => `<rootDir>/test/${name}`),
        // `npm run test:citus` starts the cluster they need.
        ...(process.env.TEST_CITUS_WORKERS ? [] : ['<rootDir>/test/citus/']),
      ],
      globalSetup: '<rootDir>/test/support/jest/global-setup.mjs',
      globalTeardown: '<rootDir>/test/support/jest/global-teardown.mjs',
    },
  ],
  testSequencer: '<rootDir>/test/support/jest/longest-first.cjs',
  reporters: ['default', '<rootDir>/test/support/jest/slowest-reporter.mjs'],
  // Against hanging alone: waits give up earlier and say for what (test/support/until.ts), machines are
  // busy at times, and what is fast enough is for tools/bench to say.
  testTimeout: 120_000,
  // Specs wait for the database more than they compute; jest would leave a core of two unused.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '1500MB',
};
