'use strict';
const { statSync } = require('node:fs');
const Sequencer = require('@jest/test-sequencer').default;

/** Small specs are quick, and most changes are noticed by the first. */
module.exports = class SmallestFirst extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => statSync(one.path).size - statSync(other.path).size);
  }
};
