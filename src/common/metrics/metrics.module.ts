import { Global, Module } from '@nestjs/common';
import { InstallationChecks } from '../ports/installation-checks.js';
import { Metrics } from './metrics.js';

/** Metrics and checks of the installation, to which every room contributes. */
@Global()
@Module({
  providers: [InstallationChecks, Metrics],
  exports: [InstallationChecks, Metrics],
})
export class MetricsModule {}
