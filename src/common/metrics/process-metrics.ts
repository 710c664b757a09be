import { Injectable } from '@nestjs/common';
import { DiskSpace } from '../disk/disk-space.js';
import { CONNECTION_KINDS, OpenConnections } from '../http/open-connections.js';
import { Metrics } from './metrics.js';

/** Metrics of this process beside those of Node.js. */
@Injectable()
export class ProcessMetrics {
  constructor(metrics: Metrics, connections: OpenConnections, disk: DiskSpace) {
    metrics.read(
      {
        name: 'gatefold_open_connections',
        help: 'Long-lived requests and connections of this process.',
        labelNames: ['kind'],
      },
      () => CONNECTION_KINDS.map((kind) => ({ labels: { kind }, value: connections.count(kind) })),
    );
    metrics.readSeldom(
      {
        name: 'gatefold_disk_spare_bytes',
        help: 'Free space above the reserve, on the fullest disk with data; negative within it.',
      },
      async () => {
        const spareBytes = await disk.spareBytes();
        return Number.isFinite(spareBytes) ? [{ labels: {}, value: spareBytes }] : [];
      },
    );
  }
}
