import { Global, Module } from '@nestjs/common';
import { DiskReserveGuard } from '../disk/disk-reserve.guard.js';
import { DiskSpace } from '../disk/disk-space.js';
import { FreeSpaceProbe } from '../disk/free-space-probe.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
import { StillOpen } from './still-open.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [DiskReserveGuard, DiskSpace, FreeSpaceProbe, Readiness, StillOpen],
  exports: [DiskReserveGuard, DiskSpace, Readiness, StillOpen],
})
export class HealthModule {}
