import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { RequestTimedOut } from '../../../common/http/outgoing-errors.js';
import { textOfHtml } from '../../feed-parser/html/plain-text.js';
import { feedAddress } from '../feed-address.js';
import { HOST_GAP_MS } from '../schedule/politeness.js';
import { ScheduleRepository } from '../schedule/schedule.repository.js';
import { ArticleFetcher, type FetchedArticle, type SeenPage } from './fetch-article.service.js';
import { FullTextRepository, type PageLease } from './full-text.repository.js';

/** Concurrent fetches of one process. */
const CONCURRENT_PAGES = 4;

/** Concurrent readings for people who wait for them. */
const MOST_READINGS = 8;
/** Limit of requests per reading for a slot of its host, half a gap apart. */
const MOST_SLOT_REQUESTS = 20;

/** Waits after the first, second and third failure; then the page is given up. */
const RETRIES_SECONDS = [600, 3600, 21_600];

/**
 * Fetches the pages of articles for users who want full text. Items are delivered with the text of
 * the feed; the text of the page follows as a change of the item, for those users only.
 *
 * @see docs/decisions/0010-full-text-filters-and-search.md
 */
@Injectable()
export class FullTextService {
  readonly #logger = new Logger('FullText');
  /** Spaced hosts, which get one request at a time. */
  readonly #busyHosts = new Set<string>();
  #readings = 0;

  constructor(
    private readonly pages: FullTextRepository,
    private readonly schedule: ScheduleRepository,
    private readonly fetcher: ArticleFetcher,
  ) {}

  /** Fetches until no page is due, a few at a time. */
  async fetchDue(signal?: AbortSignal): Promise<void> {
    if (!(await this.pages.isUsed())) {
      return;
    }
    await this.pages.plan();
    const lanes = Array.from({ length: CONCURRENT_PAGES }, () => this.#fetchOneByOne(signal));
    // If one lane fails, the others still finish.
    const broken = (await Promise.allSettled(lanes)).find(({ status }) => status === 'rejected');
    if (broken?.status === 'rejected') {
      throw broken.reason;
    }
  }

  /**
   * Reads one page for a user who waits for it, with the same spacing of hosts. Stores nothing.
   *
   * @returns busy: too many pages are being read; resting: its host has no free slot soon
   * @throws OutgoingHttpError without an answer
   */
  async readNow(url: string, withinSeconds: number): Promise<SeenPage | 'busy' | 'resting'> {
    const late = delay(withinSeconds * 1000, undefined, { ref: false }).then(() => {
      throw new RequestTimedOut(feedAddress(url).host, withinSeconds);
    });
    return Promise.race([this.#readInTurn(url, withinSeconds), late]);
  }

  async #readInTurn(url: string, timeoutSeconds: number): Promise<SeenPage | 'busy' | 'resting'> {
    const hostKey = feedAddress(url).host;
    if (this.#readings >= MOST_READINGS) {
      return 'busy';
    }
    this.#readings += 1;
    try {
      const slot = await this.#waitForSlot(hostKey);
      return slot === null
        ? 'resting'
        : await this.#readInSlot(url, hostKey, slot.spaced, timeoutSeconds);
    } finally {
      this.#readings -= 1;
    }
  }

  async #waitForSlot(hostKey: string): Promise<{ readonly spaced: boolean } | null> {
    for (let asked = 0; asked < MOST_SLOT_REQUESTS; asked += 1) {
      const slot = this.#busyHosts.has(hostKey)
        ? null
        : await this.pages.takeSlot(hostKey, HOST_GAP_MS);
      if (slot !== null) {
        return slot;
      }
      await delay(HOST_GAP_MS / 2);
    }
    return null;
  }

  async #readInSlot(
    url: string,
    hostKey: string,
    spaced: boolean,
    timeoutSeconds: number,
  ): Promise<SeenPage> {
    if (spaced) {
      this.#busyHosts.add(hostKey);
    }
    try {
      const seen = await this.fetcher.look(url, timeoutSeconds);
      if (seen.failure?.rateLimited === true) {
        await this.schedule.pauseHost(hostKey, seen.failure.retryAfterSeconds);
      }
      return seen;
    } finally {
      this.#busyHosts.delete(hostKey);
    }
  }

  async #fetchOneByOne(signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) {
        return;
      }
      const claim = await this.pages.claim([...this.#busyHosts], HOST_GAP_MS);
      if (claim.is === 'nothing-due') {
        return;
      }
      if (claim.is === 'lease') {
        await this.#serve(claim.lease, signal);
      } else {
        await delay(HOST_GAP_MS, undefined, { signal }).catch(() => {
          // Shutdown ends the loop.
        });
      }
    }
  }

  /** Settles or returns the lease in every case. */
  async #serve(lease: PageLease, signal?: AbortSignal): Promise<void> {
    if (lease.spaced) {
      this.#busyHosts.add(lease.hostKey);
    }
    try {
      await this.#record(lease, await this.#fetch(lease, signal));
    } catch (error) {
      await this.pages.release(lease).catch(() => {
        // The database is unavailable; the lease expires.
      });
      if (signal?.aborted !== true) {
        throw error;
      }
    } finally {
      this.#busyHosts.delete(lease.hostKey);
    }
  }

  async #fetch(lease: PageLease, signal?: AbortSignal): Promise<FetchedArticle> {
    try {
      return await this.fetcher.fetch(lease.url, signal);
    } catch (error) {
      if (signal?.aborted === true) {
        throw error;
      }
      this.#logger.error(`article ${lease.articleId}: ${(error as Error).stack}`);
      const message = 'Gatefold failed to process this page.';
      return {
        outcome: 'failed',
        message,
        retryable: true,
        rateLimited: false,
        retryAfterSeconds: null,
      };
    }
  }

  async #record(lease: PageLease, fetched: FetchedArticle): Promise<void> {
    if (fetched.outcome === 'failed') {
      await this.#recordFailure(lease, fetched);
      return;
    }
    const { html, characters } = fetched.article;
    const feedHtml = await this.pages.feedHtml(lease);
    const feedHasAsMuch = feedHtml !== null && textOfHtml(feedHtml).length >= characters;
    await this.pages.keep(lease, feedHasAsMuch ? null : html);
  }

  async #recordFailure(
    lease: PageLease,
    { message, retryable, rateLimited, retryAfterSeconds }: FetchedArticle & { outcome: 'failed' },
  ): Promise<void> {
    const pause = RETRIES_SECONDS[lease.failures];
    const retryInSeconds =
      retryable && pause !== undefined ? Math.max(pause, retryAfterSeconds ?? 0) : null;
    this.#logger.debug(`article ${lease.articleId}: ${message}`);
    await this.pages.noteFailure(lease, retryInSeconds);
    if (rateLimited) {
      await this.schedule.pauseHost(lease.hostKey, retryAfterSeconds);
    }
  }
}
