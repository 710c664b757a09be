import { Module } from '@nestjs/common';
import { HealthModule } from '../health/health.module.js';
import { PortsModule } from '../ports/ports.module.js';
import { DiskChecks } from './disk-checks.js';
import { DiskSpace } from './disk-space.js';
import { FreeSpaceProbe } from './free-space-probe.js';

/** Watches the free space of the folders of the service. */
@Module({
  imports: [HealthModule, PortsModule],
  providers: [DiskChecks, DiskSpace, FreeSpaceProbe],
  exports: [DiskSpace],
})
export class DiskModule {}
