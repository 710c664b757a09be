'use strict';
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** The environment of the worker itself; restores what a spec changes when the spec has ended. */
module.exports = class NativeEnvironment {
  global = globalThis;
  #mocker = new ModuleMocker(globalThis);
  #timers;
  #before = {
    env: { ...process.env },
    console: globalThis.console,
    exit: process.exit,
    exitCode: process.exitCode,
  };

  constructor({ projectConfig }) {
    this.#timers = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** What specs import as `jest`. */
  get jest() {
    return {
      fn: this.#mocker.fn.bind(this.#mocker),
      spyOn: this.#mocker.spyOn.bind(this.#mocker),
      mocked: (value) => value,
      restoreAllMocks: () => this.#mocker.restoreAllMocks(),
      useFakeTimers: (options) => this.#timers.useFakeTimers(options),
      useRealTimers: () => this.#timers.useRealTimers(),
      advanceTimersByTimeAsync: (ms) => this.#timers.advanceTimersByTimeAsync(ms),
      setTimeout: (ms) => (globalThis[TIMEOUT] = ms),
    };
  }

  async setup() {
    // Jest would give the spec to another worker, without a word.
    process.exit = (code) => {
      throw new Error(`A spec must not end its process: process.exit(${code}).`);
    };
  }

  async teardown() {
    this.#timers.dispose();
    this.#mocker.restoreAllMocks();
    delete globalThis[TIMEOUT];
    const { env, console, exit, exitCode } = this.#before;
    for (const name of Object.keys(process.env)) {
      if (!(name in env)) {
        delete process.env[name];
      }
    }
    Object.assign(process.env, env);
    globalThis.console = console;
    process.exit = exit;
    process.exitCode = exitCode;
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }
};
