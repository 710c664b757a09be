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

  /** 200 once migrations ran and while the database answers; 503 as soon as shutdown begins. */
  @Get('ready')
  async ready(): Promise<object> {
    if (!(await this.readiness.isReady())) {
      throw new ServiceUnavailableException('Not ready for requests.');
    }
    return { status: 'ok' };
  }
}
