import { jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';

/** Timers by name. */
export type Timers = Map<string, () => unknown>;

/**
 * Takes the timers of a service that has not been initialised: they are called when the spec says so, and
 * only then. Call `jest.restoreAllMocks()` when it has been.
 */
export function catchTimers(nest: INestApplicationContext): Timers {
  const timers: Timers = new Map();
  const registry = nest.get(SchedulerRegistry, { strict: false });
  const setInterval = jest.spyOn(globalThis, 'setInterval');
  jest.spyOn(registry, 'addInterval').mockImplementation((name, timer) => {
    const nth = setInterval.mock.results.findIndex(({ value }) => value === timer);
    timers.set(name, setInterval.mock.calls[nth]?.[0] ?? (() => {}));
    clearInterval(timer as NodeJS.Timeout);
  });
  return timers;
}
