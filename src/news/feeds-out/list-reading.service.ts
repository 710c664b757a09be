import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { Counts } from '../../common/counts.js';
import { Shares } from '../../common/http/shares.js';
import { keepLatest } from '../../common/keep-latest.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { FeedOutNotFound, ReadTooOften } from './feeds-out.errors.js';
import type { FeedOut } from './feeds-out.repository.js';
import { ListContents } from './list-contents.service.js';
import { ListFinder, type FoundList } from './list-finder.service.js';
import type { PublishedList } from './published-entry.js';

/** Articles are delivered to the user, and what does not move the user's stamp is read again, so often. */
const PERIOD_SECONDS = 300;

const MOST_KNOWN = 10_000;

/** What conditional requests compare. */
export interface Version {
  /** The same in all processes. */
  readonly tag: string;
  /** When this process first saw this version; never twice the same of a list. */
  readonly sinceSeconds: number;
}

interface Known extends Version {
  /** Of what the version depends on. */
  readonly key: string;
}

/** A list that a request may read. */
export interface OpenedList {
  /** Whether it is a link to one article. */
  readonly isArticle: boolean;
  /** The present version, if that is known without reading the list. */
  readonly version: Version | null;
  /** @throws FeedOutNotFound if the list is gone, ShareUsed */
  readonly read: () => Promise<{ readonly list: PublishedList; readonly version: Version }>;
}

/** Reads published lists for those who have the address. */
@Injectable()
export class ListReading {
  /** By the id of the list. */
  readonly #versions = new Map<number, Known>();
  /** Periods of the last deliveries, by reader. */
  readonly #delivered = new Map<number, number>();
  readonly #asked = new Counts();
  #minute = 0;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly shares: Shares,
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly finder: ListFinder,
    private readonly contents: ListContents,
  ) {}

  /** @throws FeedOutNotFound also if the account is gone or disabled @throws ReadTooOften */
  async open(token: string): Promise<OpenedList> {
    const found = FeedOutNotFound.unless(await this.finder.byToken(token));
    this.#assertPace(found.list.id);
    const known = this.#versions.get(found.list.id);
    const isKnown =
      known?.key === (await this.#keyOf(found)) && (await this.contents.isThere(found.list));
    return {
      isArticle: found.list.kind === 'item',
      version: isKnown ? known : null,
      read: () => this.#read(found),
    };
  }

  async #read(found: FoundList) {
    const { id } = found.list;
    const end = this.config.rateLimits ? this.shares.take('requests of a list', String(id)) : null;
    try {
      await this.#deliver(found);
      const key = await this.#keyOf(found);
      const { reader, list } = found;
      const published = FeedOutNotFound.unless(await this.contents.read(reader, list));
      return { list: published, version: this.#noted(list, key, published) };
    } finally {
      end?.();
    }
  }

  /** An idle user gets items so often at most, and none for a link to one article. */
  async #deliver({ reader, list }: FoundList): Promise<void> {
    const period = this.#period();
    if (list.kind !== 'item' && this.#delivered.get(reader.id) !== period) {
      keepLatest(this.#delivered, reader.id, period, MOST_KNOWN);
      await this.delivery.deliverEarly(reader);
    }
  }

  async #keyOf({ reader, list }: FoundList): Promise<string> {
    const { lastModifiedMicros } = await this.readers.positionOf(reader);
    return `${list.changedMicros} ${lastModifiedMicros} ${this.#period()}`;
  }

  #noted({ id, changedMicros }: FeedOut, key: string, list: PublishedList): Version {
    const text = JSON.stringify([changedMicros, list]);
    const tag = createHash('sha256').update(text).digest('base64url').slice(0, 32);
    const before = this.#versions.get(id);
    const sinceSeconds =
      before?.tag === tag
        ? before.sinceSeconds
        : Math.max(Math.floor(this.clock.nowSeconds()), (before?.sinceSeconds ?? 0) + 1);
    keepLatest(this.#versions, id, { tag, sinceSeconds, key }, MOST_KNOWN);
    return { tag, sinceSeconds };
  }

  #assertPace(id: number): void {
    if (!this.config.rateLimits) {
      return;
    }
    const minute = Math.floor(this.clock.nowSeconds() / 60);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#asked.clear();
    }
    const most = this.config.limits['requests-per-feed-out-and-minute'];
    ReadTooOften.unless(this.#asked.of(String(id)) < most, most);
    this.#asked.add(String(id), 1);
  }

  #period(): number {
    return Math.floor(this.clock.nowSeconds() / PERIOD_SECONDS);
  }
}
