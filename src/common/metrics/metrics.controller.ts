import {
  Controller,
  Get,
  NotFoundException,
  Req,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Config } from '../config/config.js';
import { Public } from '../http/current-user.decorator.js';
import { Metrics } from './metrics.js';

/** The metrics for collectors with the token of `GATEFOLD_METRICS_TOKEN`. */
@Controller('metrics')
@Public()
export class MetricsController {
  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { metricsToken } = this.config;
    if (metricsToken === undefined) {
      throw new NotFoundException();
    }
    if (!isSame(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) {
      response.setHeader('WWW-Authenticate', 'Bearer realm="Gatefold metrics"');
      throw new UnauthorizedException('The token of GATEFOLD_METRICS_TOKEN is required.');
    }
    const { registry } = this.metrics;
    response.set('Content-Type', registry.contentType).send(await registry.metrics());
  }
}

/** Comparison in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
