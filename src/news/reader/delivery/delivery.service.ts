import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Metrics } from '../../../common/metrics/metrics.js';
import { traced } from '../../../common/tracing/spans.js';
import type { JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { GivenByGroupsOffer } from './given-by-groups.js';
import { ReaderClientsRepository } from './reader-clients.repository.js';
import type { Reader } from './reader-ids.repository.js';
import { ReadersRepository, type ReaderPosition } from './readers.repository.js';

/** Looks for new items of a user that tasks are wanted for. */
export const AUTOMATION_PLANS: JobKind<{ readonly userId: string }> = {
  name: 'news-automation',
  deadlineSeconds: 3600,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 300,
  attemptSeconds: 120,
  parallel: 2,
};

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * Delivers pending articles when a client starts to synchronise, never between its pages: a client
 * that pages upwards and then resumes from the highest last-modified it stored would skip changes to
 * pages it already has.
 */
@Injectable()
export class DeliveryService {
  readonly #times = new Histogram({
    name: 'gatefold_delivery_seconds',
    help: 'Time of a delivery of new articles to a user, waiting for their lock included.',
    buckets: BUCKETS_SECONDS,
    registers: [],
  });

  constructor(
    private readonly readers: ReadersRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly groups: GivenByGroupsOffer,
    private readonly jobs: JobQueue,
    { registry }: Metrics,
  ) {
    registry.registerMetric(this.#times);
  }

  /**
   * Delivers everything that is pending, also of feeds that groups give or no longer give.
   *
   * @param afterWriters for a read whose time the client may store: earlier stamps are visible afterwards
   * @returns the position after the delivery
   */
  async deliverTo(reader: Reader, afterWriters = false): Promise<ReaderPosition> {
    const { service: groups } = this.groups;
    let state = await this.readers.stateOf(reader, afterWriters, groups);
    if (state.areGroupsDue) {
      await groups?.bringUpToDate(reader);
      state = await this.readers.stateOf(reader, afterWriters);
    }
    if (!state.isPending && state.isCounted) {
      return state;
    }
    await this.#deliver(reader);
    return this.readers.positionOf(reader);
  }

  /** Before folders are listed, with which some clients start: has what groups give. */
  async followGroups(reader: Reader): Promise<void> {
    const { service: groups } = this.groups;
    if (groups !== undefined && (await groups.isDue(reader.userId))) {
      await groups.bringUpToDate(reader);
    }
  }

  /**
   * Delivers everything that is pending, though no client asks.
   *
   * @returns false if it has to wait, since a client is between pages
   */
  async deliverEarly(reader: Reader): Promise<boolean> {
    const { isPending } = await this.readers.stateOf(reader, false);
    return !isPending || this.#deliver(reader, true);
  }

  /**
   * Has rules look at items again, about which something became known: a change of the items.
   *
   * @returns false if it has to wait, since a client is between pages
   */
  async reconsider(reader: Reader, itemIds: readonly number[]): Promise<boolean> {
    return this.readers.change(
      reader,
      async (tx, locked) => {
        if (await this.clients.isPaging(locked.id, tx)) {
          return false;
        }
        await this.deliveries.reconsider(locked, itemIds, tx);
        return true;
      },
      'deliveries',
    );
  }

  /** @returns false if nothing was delivered, since a client is between pages */
  async #deliver(reader: Reader, isEarly = false): Promise<boolean> {
    const begunAt = performance.now();
    // Taking the lock counts again where that is necessary.
    const delivered = await traced('deliver', {}, () => this.#change(reader, isEarly));
    this.#times.observe((performance.now() - begunAt) / 1000);
    if (delivered === 'automated') {
      this.jobs.wake(AUTOMATION_PLANS);
    }
    return delivered !== 'waits';
  }

  async #change(reader: Reader, isEarly: boolean): Promise<'waits' | 'delivered' | 'automated'> {
    const { userId } = reader;
    return this.readers.change(
      reader,
      async (tx, locked) => {
        // Under the lock: a client that has begun meanwhile waits for it before its first page.
        if (isEarly && (await this.clients.isPaging(locked.id, tx))) {
          return 'waits';
        }
        await this.deliveries.deliver(locked, tx);
        if (locked.isAutomated) {
          await this.jobs.send(AUTOMATION_PLANS, [{ key: userId, payload: { userId } }], tx);
        }
        return locked.isAutomated ? 'automated' : 'delivered';
      },
      'deliveries',
    );
  }
}
