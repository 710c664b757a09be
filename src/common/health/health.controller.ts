import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { Public } from '../auth/current-user.decorator.js';
import { Readiness } from './readiness.js';

/** For whoever watches over the process: is it alive, and may requests be sent to it. */
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  live(): object {
    return { status: 'ok' };
  }

  /**
   * 200 once migrations ran and while everything is there that requests need; 503 with the names of
   * the failed checks otherwise, and as soon as shutdown begins.
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
