import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Get } from '../contracts/routes.js';
import { ServiceUnavailable } from '../errors/service-unavailable.js';
import { Public } from '../http/current-user.decorator.js';
import { Readiness } from './readiness.js';

const RETRY_AFTER_SECONDS = 5;

/** The service cannot serve requests at the moment, or not any more. */
class NotReady extends ServiceUnavailable {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  /** @param missing names of the checks that failed */
  constructor(missing: readonly string[]) {
    super(`Not ready for requests: ${missing.join(', ')}.`);
  }
}

const HealthAnswer = z.object({ status: z.literal('ok') });

/** Liveness and readiness probes. */
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live', 'Tells that the process runs.', HealthAnswer)
  live() {
    return { status: 'ok' as const };
  }

  /**
   * 200 after the migrations while all dependencies are available; otherwise, and during a
   * shutdown, 503 with the names of the failed checks.
   */
  @Get('ready', 'Tells whether requests can be served.', HealthAnswer, {
    description: '503 with the names of what is missing otherwise.',
  })
  async ready() {
    const missing = await this.readiness.missing();
    if (missing.length > 0) {
      throw new NotReady(missing);
    }
    return { status: 'ok' as const };
  }
}
