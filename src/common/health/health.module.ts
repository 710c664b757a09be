import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { DiskReserveInterceptor } from '../disk/disk-reserve.interceptor.js';
import { DiskChecks } from '../disk/disk-checks.js';
import { DiskSpace } from '../disk/disk-space.js';
import { FreeSpaceProbe } from '../disk/free-space-probe.js';
import { OpenRequests } from '../http/open-requests.js';
import { SharedCounts } from '../http/shared-counts.js';
import { Shares } from '../http/shares.js';
import { ProcessMetrics } from '../metrics/process-metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';
import { StillOpen } from './still-open.js';

@Global()
@Module({
  imports: [MetricsModule],
  controllers: [HealthController],
  providers: [
    DiskChecks,
    { provide: APP_INTERCEPTOR, useClass: DiskReserveInterceptor },
    DiskSpace,
    FreeSpaceProbe,
    OpenRequests,
    ProcessMetrics,
    Readiness,
    SharedCounts,
    Shares,
    StillOpen,
  ],
  exports: [DiskSpace, OpenRequests, Readiness, SharedCounts, Shares, StillOpen],
})
export class HealthModule {}
