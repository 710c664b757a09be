import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Logger } from '@nestjs/common';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { BackgroundTasks } from './background-tasks.js';
import { DatabaseUnavailable } from './database-unavailable.js';

describe('A background task', () => {
  let tasks: BackgroundTasks;
  let errors: unknown[];
  let runs: number;
  beforeEach(() => {
    errors = [];
    runs = 0;
    const error = (message: unknown) => void errors.push(message);
    tasks = new BackgroundTasks({ error } as Logger);
  });

  const run = (work: (signal: AbortSignal) => unknown = () => {}) =>
    tasks.run('sweeping', async (signal) => {
      runs += 1;
      await work(signal);
    });

  /** Fails before the spec's own timeout, which names no cause. */
  const outcomeOf = (step: Promise<unknown>) =>
    Promise.race([step.then(() => 'ends'), pause(5000, 'waits for too long', { ref: false })]);

  it('runs each time it is asked for, once at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();

    const first = run(() => promise);
    const second = run();
    expect([runs, tasks.isRunning('sweeping'), tasks.isRunning('dusting')]).toEqual([
      1,
      true,
      false,
    ]);
    resolve();
    await Promise.all([first, second]);
    expect([runs, tasks.isRunning('sweeping')]).toEqual([1, false]);

    await run();
    expect(runs).toBe(2);
  });

  it('that fails is logged and runs again; that the database is away has been logged', async () => {
    await run(() => Promise.reject(new Error('the broom is broken')));
    await run(() => Promise.reject(new DatabaseUnavailable('away')));
    await run();

    expect(runs).toBe(3);
    expect(errors).toEqual(['sweeping failed: the broom is broken']);
  });

  it('is told to stop and waited for, but not for ever; none begins afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    void run((given) => {
      signal = given;
      return promise;
    });
    const state = { hasStopped: false };

    expect(await outcomeOf(tasks.stop(0))).toBe('ends');
    expect(signal?.aborted).toBe(true);
    const stopping = tasks.stop(60_000).then(() => (state.hasStopped = true));
    await turn();
    expect(state.hasStopped).toBe(false);
    resolve();
    expect(await outcomeOf(stopping)).toBe('ends');

    await run();
    expect([runs, tasks.isRunning('sweeping')]).toEqual([1, false]);
  });
});
