import { DatabaseUnavailable } from './database-unavailable.js';

type Work = (...args: never[]) => Promise<void>;

/**
 * Decorator of regular work, below `@Interval` or `@Cron`: ends it silently while the database is away,
 * which is logged once elsewhere. The next run does the work.
 */
export function SilentWhileAway() {
  return (_target: object, _name: string, descriptor: TypedPropertyDescriptor<Work>): void => {
    const work = descriptor.value;
    descriptor.value = async function silently(this: unknown, ...args: never[]): Promise<void> {
      try {
        await work?.apply(this, args);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) {
          throw error;
        }
      }
    };
  };
}
