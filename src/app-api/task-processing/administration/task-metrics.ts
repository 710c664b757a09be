import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../common/metrics/metrics.js';
import { TaskAdministration } from './task-administration.service.js';

/** Metrics of tasks of task processing of all processes. */
@Injectable()
export class TaskMetrics {
  constructor(metrics: Metrics, administration: TaskAdministration) {
    metrics.readSeldom(
      {
        name: 'gatefold_tasks',
        help: 'Stored tasks of task processing by state.',
        labelNames: ['state'],
      },
      async () =>
        Object.entries(await administration.counts()).map(([state, value]) => ({
          labels: { state },
          value,
        })),
    );
  }
}
