'use strict';
const { statSync } = require('node:fs');
const path = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

const changed = (process.env.MUTATED ?? '').split(' ').filter(Boolean);
const changedWords = new Set(changed.flatMap(wordsOf));

/** Without the endings of plurals. */
function wordsOf(file) {
  const words = file.split(/[^a-z]+/).filter((word) => word.length > 2);
  return words.map((word) => word.replace(/s$/, ''));
}

/** How much the name of a spec says that it is about a changed file. */
function nearness(file) {
  const folder = path.relative(process.cwd(), path.dirname(file));
  const isBeside = changed.some((one) => path.dirname(one) === folder);
  const common = wordsOf(path.basename(file, '.spec.ts')).filter((word) => changedWords.has(word));
  return (isBeside ? 10 : 0) + common.length;
}

/** Most changes are noticed by the specs that are named like the changed file; the others begin with the small ones. */
module.exports = class NearestFirst extends Sequencer {
  sort(tests) {
    return tests.toSorted(
      ({ path: one }, { path: other }) =>
        nearness(other) - nearness(one) || statSync(one).size - statSync(other).size,
    );
  }
};
