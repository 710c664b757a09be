import { ServiceUnavailable } from '../errors/service-unavailable.js';

const RETRY_AFTER_SECONDS = 5;

/** The service cannot serve requests at the moment, or not any more. */
export class NotReady extends ServiceUnavailable {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  /** @param missing names of the checks that failed */
  constructor(missing: readonly string[]) {
    super(`Not ready for requests: ${missing.join(', ')}.`);
  }
}
