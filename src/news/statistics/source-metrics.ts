import { Injectable } from '@nestjs/common';
import { Metrics } from '../../common/metrics/metrics.js';
import { SourceListsRepository } from './source-lists.repository.js';

/** Metrics of the sources of all processes. */
@Injectable()
export class SourceMetrics {
  constructor(metrics: Metrics, lists: SourceListsRepository) {
    metrics.readSeldom(
      {
        name: 'gatefold_sources',
        help: 'Sources that have followers; due: waiting for a fetch now; failing: their latest fetch failed.',
        labelNames: ['state'],
      },
      async () => {
        const { all, failing, overdue } = await lists.totals('');
        return Object.entries({ all, failing, due: overdue }).map(([state, value]) => ({
          labels: { state },
          value,
        }));
      },
    );
    metrics.readSeldom(
      {
        name: 'gatefold_sources_oldest_due_seconds',
        help: 'How long the source that is due the longest has waited for its fetch.',
      },
      async () => [{ labels: {}, value: await lists.oldestDueSeconds() }],
    );
  }
}
