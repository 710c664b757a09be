import { Module } from '@nestjs/common';
import { DiskModule } from '../disk/disk.module.js';
import { HealthModule } from '../health/health.module.js';
import { HttpEdgeModule } from '../http/http.module.js';
import { MetricsServer } from './metrics-server.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { ProcessMetrics } from './process-metrics.js';

/** Metrics, to which every subject contributes. */
@Module({
  imports: [DiskModule, HealthModule, HttpEdgeModule],
  controllers: [MetricsController],
  providers: [Metrics, MetricsServer, ProcessMetrics],
  exports: [Metrics, MetricsServer],
})
export class MetricsModule {}
