import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/metrics/metrics.js';
import { Database } from './database.js';
import { JobQueue } from './jobs/job-queue.js';

/** Metrics of connections to the database, and of jobs of all processes. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, database: Database, jobs: JobQueue) {
    metrics.read(
      {
        name: 'gatefold_database_connections',
        help: 'Connections of this process; waiting: work that waits for one.',
        labelNames: ['state'],
      },
      () =>
        Object.entries(database.connections()).map(([state, value]) => ({
          labels: { state },
          value,
        })),
    );
    metrics.readSeldom(
      {
        name: 'gatefold_jobs',
        help: 'Jobs of all processes by queue and state; failed: dead letters.',
        labelNames: ['queue', 'state'],
      },
      async () =>
        (await jobs.overview()).flatMap(({ kind: queue, queued, retrying, active, failed }) =>
          Object.entries({ queued, retrying, active, failed }).map(([state, value]) => ({
            labels: { queue, state },
            value,
          })),
        ),
    );
    metrics.readSeldom(
      {
        name: 'gatefold_jobs_oldest_seconds',
        help: 'Age of the oldest unfinished job of a queue.',
        labelNames: ['queue'],
      },
      async () =>
        (await jobs.overview()).map(({ kind: queue, oldestSeconds }) => ({
          labels: { queue },
          value: oldestSeconds ?? 0,
        })),
    );
  }
}
