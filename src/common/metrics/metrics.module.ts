import { Global, Module } from '@nestjs/common';
import { InstallationChecks } from '../ports/installation-checks.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { MetricsServer } from './metrics-server.js';

/** Metrics and checks of the installation, to which every room contributes. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [InstallationChecks, Metrics, MetricsServer],
  exports: [InstallationChecks, Metrics, MetricsServer],
})
export class MetricsModule {}
