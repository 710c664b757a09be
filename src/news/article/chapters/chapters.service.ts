import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { tooMany } from '../../../common/errors/domain-error.js';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { keepLatest } from '../../../common/keep-latest.js';
import { ExtrasService } from '../extras/extras.service.js';
import { readChapters, type Chapter } from './chapters-document.js';

export type { Chapter } from './chapters-document.js';

class TooManyChapters extends tooMany(
  'Too many lists of chapters are being fetched. Try again later.',
  { retryAfterSeconds: 10 },
) {}

interface Kept {
  /** Null after a failure. */
  readonly chapters: readonly Chapter[] | null;
  readonly untilSeconds: number;
}

const LARGEST_DOCUMENT_BYTES = 256 * 1024;
const TIMEOUT_SECONDS = 10;
/** Of this process. */
const MOST_AT_ONCE = 8;
/** Each may be as large as a document. */
const MOST_KEPT = 50;
const KEPT_SECONDS = 3_600;
const FAILURE_SECONDS = 300;

/** Chapters of recordings, fetched from the publisher when someone listens. */
@Injectable()
export class ChaptersService {
  readonly #logger = new Logger('Chapters');
  /** By address; the oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #loading = new Map<string, Promise<readonly Chapter[]>>();

  constructor(
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly extras: ExtrasService,
  ) {}

  /**
   * @returns by start; none if the item names none, or if they cannot be fetched
   * @throws ItemNotFound unless the item is this user's
   * @throws TooManyChapters
   */
  async find(userId: string, itemId: number): Promise<readonly Chapter[]> {
    const { chapters: address } = await this.extras.find(userId, itemId);
    if (address === null) {
      return [];
    }
    const kept = this.#kept.get(address);
    if (kept !== undefined && kept.untilSeconds > this.clock.nowSeconds()) {
      return kept.chapters ?? [];
    }
    return this.#loading.get(address) ?? this.#load(address);
  }

  #load(address: string): Promise<readonly Chapter[]> {
    if (this.#loading.size >= MOST_AT_ONCE) {
      throw new TooManyChapters();
    }
    const loading = this.#fetch(address)
      .then((chapters) => {
        this.#keep(address, chapters);
        return chapters ?? [];
      })
      .finally(() => this.#loading.delete(address));
    this.#loading.set(address, loading);
    return loading;
  }

  /** @returns null after a failure of the publisher */
  async #fetch(address: string): Promise<readonly Chapter[] | null> {
    try {
      const { status, body } = await this.outgoing.request({
        url: address,
        headers: { accept: 'application/json+chapters, application/json;q=0.9' },
        timeoutSeconds: TIMEOUT_SECONDS,
        maxWireBytes: LARGEST_DOCUMENT_BYTES,
        maxDecodedBytes: LARGEST_DOCUMENT_BYTES,
      });
      return status === 200 ? readChapters(body) : null;
    } catch (error) {
      if (error instanceof OutgoingHttpError) {
        this.#logger.debug(error.message);
        return null;
      }
      throw error;
    }
  }

  #keep(address: string, chapters: readonly Chapter[] | null): void {
    const seconds = chapters === null ? FAILURE_SECONDS : KEPT_SECONDS;
    const untilSeconds = this.clock.nowSeconds() + seconds;
    keepLatest(this.#kept, address, { chapters, untilSeconds }, MOST_KEPT);
  }
}
