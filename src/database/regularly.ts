import { Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Interval } from '@nestjs/schedule';
import { DatabaseUnavailable } from './database-unavailable.js';

const HTTP = Symbol('HTTP');

type Work = (...args: never[]) => Promise<void>;

/**
 * Decorator of a method that a serving process calls every so often: never in a command, which has no web
 * server. It ends silently while the database is away, which is logged once elsewhere; the next run does
 * the work. An interval rather than times of day, which would pause when the clock is set back. A run does
 * not wait for the one before: long work uses `BackgroundTasks`.
 *
 * @param name of the timer; the scheduler refuses a second one, so the class has no `useExisting`
 */
export function Regularly(name: string, everySeconds: number) {
  return (target: object, method: string, descriptor: TypedPropertyDescriptor<Work>): void => {
    Inject(HttpAdapterHost)(target, HTTP);
    const work = descriptor.value;
    descriptor.value = async function regularly(
      this: { readonly [HTTP]: HttpAdapterHost },
      ...args: never[]
    ): Promise<void> {
      try {
        if (this[HTTP].listening) {
          await work?.apply(this, args);
        }
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) {
          throw error;
        }
      }
    };
    Interval(name, everySeconds * 1000)(target, method, descriptor);
  };
}
