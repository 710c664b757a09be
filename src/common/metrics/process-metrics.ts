import { Injectable } from '@nestjs/common';
import { DiskSpace } from '../disk/disk-space.js';
import { SHARE_KINDS, Shares } from '../http/shares.js';
import { Metrics } from './metrics.js';

/** Metrics of this process beside Node.js's. */
@Injectable()
export class ProcessMetrics {
  constructor(metrics: Metrics, shares: Shares, disk: DiskSpace) {
    metrics.read(
      {
        name: 'gatefold_open_connections',
        help: 'Requests and connections of this process that are under way.',
        labelNames: ['kind'],
      },
      () => SHARE_KINDS.map((kind) => ({ labels: { kind }, value: shares.count(kind) })),
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
