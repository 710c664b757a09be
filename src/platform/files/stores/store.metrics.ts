import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Metrics } from '../../../common/metrics/metrics.js';

const BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

export type StoreOperation = 'put' | 'get' | 'head' | 'delete' | 'list' | 'abort';

/** `refused`: by this service, for instance because of a quota. */
type StoreOutcome = 'ok' | 'failed' | 'refused';

/** Requests to object stores. */
@Injectable()
export class StoreMetrics {
  /** Whether the latest request was answered, by store. */
  readonly #isUp = new Map<string, boolean>();
  readonly #times: Histogram;

  constructor(metrics: Metrics) {
    metrics.read(
      {
        name: 'gatefold_files_store_up',
        help: 'Whether the latest request to an object store was answered: 1 or 0.',
        labelNames: ['store'],
      },
      () => [...this.#isUp].map(([store, isUp]) => ({ labels: { store }, value: isUp ? 1 : 0 })),
    );
    this.#times = new Histogram({
      name: 'gatefold_files_store_seconds',
      help: 'Time of requests to the object store with contents of files.',
      labelNames: ['operation', 'outcome'],
      buckets: BUCKETS_SECONDS,
      registers: [metrics.registry],
    });
  }

  /** @param store its `place` */
  noteAnswered(store: string, isUp: boolean): void {
    this.#isUp.set(store, isUp);
  }

  /** @returns a function to call with the outcome */
  begin(operation: StoreOperation): (outcome: StoreOutcome) => void {
    const end = this.#times.startTimer({ operation });
    return (outcome) => void end({ outcome });
  }
}
