import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { NewsEvents } from '../../../common/ports/news-events.js';
import { DatabaseNotices, type NoticeListener } from '../../../database/notices/notices.js';
import { forOthersToo } from '../../../database/statement-limits.js';
import { NEWS_EVENTS_CHANNEL } from '../delivery/announcements.js';
import { NewsEventsRepository } from './news-events.repository.js';

/** Events that one transaction moves. */
const MOST_EVENTS = 200;

const RETRY_MS = 5000;

/**
 * Moves recorded events of all processes to their subscribers. Every process that serves HTTP tries, and
 * they take turns.
 *
 * @see docs/decisions/0052-news-events.md
 */
@Injectable()
export class NewsEventDispatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger('News events');
  readonly #listener: NoticeListener = {
    heard: () => this.#wake(),
    resumed: () => this.#wake(),
  };
  #work: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopping = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly recorded: NewsEventsRepository,
    private readonly events: NewsEvents,
    private readonly notices: DatabaseNotices,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // CLI commands start no web server and run no jobs.
    if (this.http?.httpAdapter) {
      await this.notices.listen(NEWS_EVENTS_CHANNEL, this.#listener);
      this.#wake();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#retry);
    await this.#work;
  }

  #wake(): void {
    this.#isAskedAgain = true;
    this.#work ??= forOthersToo(() => this.#moveAll());
  }

  async #moveAll(): Promise<void> {
    try {
      while (this.#isAskedAgain && !this.#isStopping) {
        this.#isAskedAgain = false;
        await this.#moveRecorded();
      }
    } catch (error) {
      this.#logger.warn(`events wait for another try: ${(error as Error).message}`);
      this.#retry = setTimeout(() => this.#wake(), RETRY_MS).unref();
    } finally {
      this.#work = undefined;
    }
  }

  async #moveRecorded(): Promise<void> {
    for (let moved = MOST_EVENTS; moved === MOST_EVENTS && !this.#isStopping;) {
      moved = await this.recorded.take(MOST_EVENTS, (events, tx) =>
        this.events.publish(events, tx),
      );
      if (moved > 0) {
        this.events.committed();
      }
    }
  }
}
