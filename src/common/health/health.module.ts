import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
import { StillOpen } from './still-open.js';

@Module({
  controllers: [HealthController],
  providers: [Readiness, StillOpen],
  exports: [Readiness, StillOpen],
})
export class HealthModule {}
