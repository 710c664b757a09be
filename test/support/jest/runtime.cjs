'use strict';
/**
 * Runs specs as ordinary modules of Node.js. Jest's runtime links every module anew for each spec
 * file, inside a VM context; here a worker links the application once for all of its specs. The
 * environment restores what a spec changes globally (environment variables, mocks).
 */
const { pathToFileURL } = require('node:url');
const { sourceMaps } = require('../run-typescript.mjs');
const { useTestApi } = require('./globals.mjs');

const CIRCUS_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** Of jest to its workers, when the specs have ended. */
const CHILD_MESSAGE_END = 2;

globalThis.atEndOfRun ??= [];

/** Jest kills its workers after half a second, and complains. */
const LONGEST_END_MS = 300;

// The threads that read feeds live as long as the process.
process.on('message', ([type]) => {
  if (type === CHILD_MESSAGE_END) {
    void Promise.allSettled(globalThis.atEndOfRun.map((end) => end())).then(() => process.exit());
    setTimeout(() => process.exit(), LONGEST_END_MS);
  }
});

module.exports = class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A spec file. */
  async unstable_importModule(file) {
    await import(pathToFileURL(file).href);
  }

  requireModule(file) {
    return require(file);
  }

  /** jest-circus, whose list of tests and hooks lives as long as the module. */
  requireInternalModule(file) {
    delete require.cache[require.resolve(file)];
    delete globalThis[CIRCUS_HANDLERS];
    return require(file);
  }

  setGlobalsForRuntime(globals) {
    useTestApi({ ...globals, jest: this.#environment.jest });
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {}

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}
};
