import { createHash } from 'node:crypto';
import { keepLatest } from '../keep-latest.js';
import { describeError, type LoggedError } from './logged-error.js';

/** A fault that goes on is logged with its stack again after this long. */
const STACK_AGAIN_MS = 3_600_000;

/** Faults that are remembered; the one seen first is forgotten for a new one. */
const MOST_FAULTS = 200;

interface Sighting {
  readonly stackLoggedAt: number;
  repeated: number;
}

/** An error as one of those of the same type from the same place. */
export interface LoggedFault extends LoggedError {
  /** The same for all of them: finds the line with the stack. */
  readonly fault: string;
  /** How often it came since its stack was logged; only then is there a stack. */
  readonly repeated: number;
}

/** Errors of the same type from the same place are one fault, whose stack is logged once an hour. */
export class RepeatedFaults {
  readonly #seen = new Map<string, Sighting>();

  constructor(private readonly now: () => number = Date.now) {}

  forLog(error: Error): LoggedFault {
    const fault = faultOf(error);
    const seen = this.#seen.get(fault);
    if (seen !== undefined && this.now() - seen.stackLoggedAt < STACK_AGAIN_MS) {
      seen.repeated += 1;
      return { type: error.name, message: error.message, fault, repeated: seen.repeated };
    }
    keepLatest(this.#seen, fault, { stackLoggedAt: this.now(), repeated: 0 }, MOST_FAULTS);
    return { ...describeError(error), fault, repeated: 0 };
  }
}

/** Of the type and the places in the stack; the message may differ with each request. */
function faultOf(error: Error): string {
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const hash = createHash('sha256').update([error.name, ...places].join('\n'));
  return hash.digest('hex').slice(0, 12);
}
