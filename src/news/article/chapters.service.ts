import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '../../common/clock.js';
import { tooMany } from '../../common/errors/domain-error.js';
import { OutgoingHttpError } from '../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';
import { keepLatest } from '../../common/keep-latest.js';
import { lineOf } from '../feed-parser/items/extras.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ArticleService } from './article.service.js';

export interface Chapter {
  /** Offset from the beginning of the recording; may have decimals. */
  readonly startSeconds: number;
  /** Plain text, at most 200 characters. */
  readonly title: string;
  /** http or https, or null. */
  readonly url: string | null;
}

const MOST_CHAPTERS = 500;
const LONGEST_TITLE = 200;
const LONGEST_ADDRESS = 2_000;
/** A week. */
const LONGEST_RECORDING_SECONDS = 604_800;

const ChaptersDocument = z.object({
  version: z.string().max(20),
  chapters: z.array(z.unknown()),
});

const ChapterOfDocument = z.object({
  startTime: z.number().min(0).max(LONGEST_RECORDING_SECONDS),
  title: z.string(),
  url: z.unknown().optional(),
  /** False: not for lists of chapters. */
  toc: z.unknown().optional(),
});

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
/** Concurrent fetches of this process. */
const MOST_AT_ONCE = 8;
/** Limit; each may be as large as a document. */
const MOST_KEPT = 50;
const KEPT_SECONDS = 3_600;
const FAILURE_SECONDS = 300;

/** Chapters of recordings, fetched from the publisher when someone listens. */
@Injectable()
export class ChaptersService {
  readonly #logger = new Logger('Chapters');
  /** Keyed by address; oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #loading = new Map<string, Promise<readonly Chapter[]>>();

  constructor(
    private readonly clock: Clock,
    private readonly outgoing: OutgoingHttp,
    private readonly articles: ArticleService,
  ) {}

  /**
   * @returns by start; none if the item names none, or if they cannot be fetched
   * @throws ItemNotFound unless the item is this user's
   * @throws TooManyChapters
   */
  async find(reader: Reader, itemId: number): Promise<readonly Chapter[]> {
    const { chapters: address } = await this.articles.extras(reader, itemId);
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

/**
 * Reads JSON chapters of Podcasting 2.0. Skips chapters without a start or title.
 *
 * @returns by start; at most 500; none if the document is something else
 */
function readChapters(bytes: Uint8Array): Chapter[] {
  const document = ChaptersDocument.safeParse(parse(bytes));
  const chapters = (document.data?.chapters ?? [])
    .slice(0, MOST_CHAPTERS)
    .flatMap((written) => chapterOf(written) ?? []);
  return chapters.toSorted((one, other) => one.startSeconds - other.startSeconds);
}

function parse(bytes: Uint8Array): unknown {
  try {
    // TextDecoder strips a byte order mark.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function chapterOf(written: unknown): Chapter | null {
  const { data } = ChapterOfDocument.safeParse(written);
  const title = data && lineOf(data.title, LONGEST_TITLE);
  return !data || !title || data.toc === false
    ? null
    : { startSeconds: data.startTime, title, url: webAddressOf(data.url) };
}

function webAddressOf(written: unknown): string | null {
  const url = typeof written === 'string' ? URL.parse(written) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isWeb && url.href.length <= LONGEST_ADDRESS ? url.href : null;
}
