'use strict';
const Sequencer = require('@jest/test-sequencer').default;

/** Specs of more than ten seconds; started last, they would leave the other workers idle. */
const LONGEST = [
  'test/news/chaos.spec.ts',
  'test/news/identity-deliveries.spec.ts',
  'test/database/embedded-postgres.spec.ts',
  'test/compat/hello-app-restart.spec.ts',
];

/** Jest's own order, with the longest specs first; a fresh clone has no times of earlier runs. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => LONGEST.some((name) => path.endsWith(name));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
