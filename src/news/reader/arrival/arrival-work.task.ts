import { Injectable, Logger } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Metrics } from '../../../common/metrics/metrics.js';
import type { JobAttempt, JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { ARRIVALS, type Arrival } from '../../sources/articles/arrivals.js';
import { DeliveryService } from '../delivery/delivery.service.js';
import { ClientIsPaging } from '../delivery/reader-clients.repository.js';
import { ReaderIdsRepository, type Reader } from '../delivery/reader-ids.repository.js';
import { ArrivalStoriesOffer } from './arrival-stories.offer.js';
import { ArrivalsRepository } from './arrivals.repository.js';
import { ToldReaders } from './told-readers.service.js';

/**
 * A delivery that could not be made with the arrival: a client of the reader was between pages, or the
 * reader's server was away. Keys are reader ids; one of each at a time.
 */
export const EARLY_DELIVERIES: JobKind<Reader> = {
  name: 'news-early-delivery',
  deadlineSeconds: 6 * 3600,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 120,
  attemptSeconds: 60,
  parallel: 2,
  ordered: true,
};

/** Early readers that are looked at together. */
const READERS_AT_A_TIME = 10_000;

/** Concurrent deliveries of one arrival; each has a connection. */
const CONCURRENT_DELIVERIES = 3;

const BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 120, 600];

/**
 * Delivers new articles to early readers. Durable and repeatable: a reader who has the articles has nothing
 * pending, so that an attempt that was interrupted goes on where it was.
 *
 * @see docs/decisions/0096-early-readers.md
 */
@Injectable()
export class ArrivalWork {
  readonly #logger = new Logger('Arrivals');
  readonly #times = new Histogram({
    name: 'gatefold_arrival_seconds',
    help: 'Time from the storing of new articles until they are delivered to all early readers.',
    buckets: BUCKETS_SECONDS,
    registers: [],
  });

  constructor(
    private readonly arrivals: ArrivalsRepository,
    private readonly readers: ReaderIdsRepository,
    private readonly told: ToldReaders,
    private readonly delivery: DeliveryService,
    private readonly stories: ArrivalStoriesOffer,
    private readonly jobs: JobQueue,
    { registry }: Metrics,
  ) {
    registry.registerMetric(this.#times);
    jobs.carryOut(ARRIVALS, (job) => this.#arrive(job));
    jobs.carryOut(EARLY_DELIVERIES, ({ payload }) => this.#deliverAgain(payload));
  }

  async #arrive({ payload, signal }: JobAttempt<Arrival>): Promise<void> {
    // First, so that nobody is told a story again; but who is told does not wait for another attempt.
    const found = await Promise.allSettled([this.stories.service?.arrived(payload, signal)]);
    await this.#deliver(payload, signal);
    await Promise.all(found.map((one) => one.status === 'rejected' && Promise.reject(one.reason)));
    this.#times.observe((Date.now() - payload.storedAtMs) / 1000);
  }

  async #deliver(payload: Arrival, signal: AbortSignal): Promise<void> {
    let lastId = 0;
    for (let found = READERS_AT_A_TIME; found === READERS_AT_A_TIME;) {
      const followers = await this.arrivals.followers(payload.sourceId, lastId, READERS_AT_A_TIME);
      const telling = followers.filter(({ onlyTells }) => onlyTells);
      const early = new Set([
        ...followers.filter(({ onlyTells }) => !onlyTells),
        ...(await this.told.among(telling, payload)),
      ]);
      if (early.size > 0) {
        const ids = [...early].map(({ readerId }) => readerId);
        await this.#deliverTo(await this.readers.withIds(ids), signal);
      }
      found = followers.length;
      lastId = followers.at(-1)?.readerId ?? 0;
    }
  }

  /** A few at a time; those to whom it fails get a job of their own. */
  async #deliverTo(readers: readonly Reader[], signal: AbortSignal): Promise<void> {
    const waiting = [...readers];
    const postponed: Reader[] = [];
    const lane = async () => {
      for (let reader = waiting.shift(); reader !== undefined; reader = waiting.shift()) {
        signal.throwIfAborted();
        try {
          if (!(await this.delivery.deliverEarly({ ...reader }))) {
            postponed.push(reader);
          }
        } catch (error) {
          this.#logger.warn(`reader ${reader.id} gets new articles later: ${String(error)}`);
          postponed.push(reader);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_DELIVERIES }, lane));
    const jobs = postponed.map((reader) => ({ key: String(reader.id), payload: reader }));
    await this.jobs.send(EARLY_DELIVERIES, jobs);
  }

  async #deliverAgain(reader: Reader): Promise<void> {
    if (!(await this.delivery.deliverEarly(reader))) {
      throw new ClientIsPaging();
    }
  }
}
