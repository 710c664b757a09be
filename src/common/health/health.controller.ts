import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { Public } from '../auth/current-user.decorator.js';
import { Readiness } from './readiness.js';

/** Liveness and readiness probes. */
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  live(): object {
    return { status: 'ok' };
  }

  /**
   * 200 after the migrations while all dependencies are available; otherwise, and during a
   * shutdown, 503 with the names of the failed checks.
   */
  @Get('ready')
  async ready(): Promise<object> {
    const missing = await this.readiness.missing();
    if (missing.length > 0) {
      throw new ServiceUnavailableException(`Not ready for requests: ${missing.join(', ')}.`);
    }
    return { status: 'ok' };
  }
}
