import { Injectable } from '@nestjs/common';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { FeedNotFound } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { FollowersRepository } from '../reader/feeds/followers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import {
  FetchHistoryRepository,
  type Attempt,
} from '../sources/history/fetch-history.repository.js';
import {
  SourceRefresher,
  type RefreshOutcome,
} from '../sources/refreshing/source-refresher.service.js';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';
import { shownAddress } from '../sources/shown-address.js';
import { SourceNotFound } from '../sources/sources.errors.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import type { Source } from '../sources/sources.sql.js';
import { WebSubRepository } from '../sources/websub/websub.repository.js';
import type { WebSubState } from '../tables/source.entity.js';

type Health = 'healthy' | 'failing' | 'gone' | 'never fetched';

/** The state of a source, without secrets. Times are unix seconds. */
export interface SourceReport {
  readonly sourceId: number;
  readonly title: string;
  readonly address: string;
  /** Differs from `address` after the publisher moved. */
  readonly fetchedFrom: string;
  readonly announcedMove: { readonly to: string; readonly sightings: number } | null;
  readonly followers: number;
  /** Whether requests of its user add the items, so that nothing is fetched. */
  readonly isGiven: boolean;
  readonly health: Health;
  readonly errorsInRow: number;
  readonly lastError: string | null;
  /** Damaged or omitted parts of the last document read. */
  readonly warning: string | null;
  readonly fetchedAt: number | null;
  readonly due: {
    readonly at: number;
    readonly why: string;
    readonly beingFetched: boolean;
    readonly hostPausedUntil: number | null;
  } | null;
  readonly hub: { readonly state: WebSubState; readonly expiresAt: number | null } | null;
  /** Newest first. */
  readonly attempts: readonly Attempt[];
  readonly failedDocument: {
    readonly at: number;
    readonly message: string;
    readonly contentType: string | null;
    readonly bytes: number;
    /** The first few thousand characters. */
    readonly beginning: string;
  } | null;
}

const ATTEMPTS_SHOWN = 50;
const BEGINNING_CHARACTERS = 4000;

/** Explains the state of a source to administrators and to the owners of its feeds. */
@Injectable()
export class FeedDoctor {
  constructor(
    private readonly refresher: SourceRefresher,
    private readonly sources: SourcesRepository,
    private readonly followers: FollowersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly schedule: ScheduleRepository,
    private readonly history: FetchHistoryRepository,
    private readonly webSub: WebSubRepository,
    private readonly log: AdministrationLog,
  ) {}

  /** @throws FeedNotFound */
  async sourceOfFeed(feedId: number): Promise<number> {
    return FeedNotFound.unless(await this.followers.sourceOfFeed(feedId), feedId);
  }

  /** The state of a user's own feed. @throws FeedNotFound */
  async examineFeed(reader: Reader, feedId: number): Promise<SourceReport> {
    const sourceId = await this.subscriptions.sourceOf(reader.id, feedId);
    return this.examineSource(FeedNotFound.unless(sourceId, feedId));
  }

  /**
   * @param showQueries shows the queries of addresses, which may hold secrets
   * @throws SourceNotFound
   */
  async examineSource(sourceId: number, showQueries = false): Promise<SourceReport> {
    const source = SourceNotFound.unless(await this.sources.find(sourceId), sourceId);
    const [followers, attempts, failedDocument, state, hub] = await Promise.all([
      this.followers.countOf(sourceId),
      this.history.attempts(sourceId, ATTEMPTS_SHOWN),
      this.history.failedDocument(sourceId),
      this.schedule.stateOf(sourceId),
      this.webSub.ofSource(sourceId),
    ]);
    return {
      sourceId,
      title: source.title,
      address: shownAddress(source.url, showQueries),
      fetchedFrom: shownAddress(source.effectiveUrl ?? source.url, showQueries),
      announcedMove:
        source.movingTo === null
          ? null
          : { to: shownAddress(source.movingTo, showQueries), sightings: source.movingSightings },
      followers,
      isGiven: source.givenTo !== null,
      health: healthOf(source),
      errorsInRow: source.errorCount,
      lastError: source.lastError,
      warning: source.warning,
      fetchedAt: source.fetchedSeconds,
      due: state && {
        at: state.dueAtSeconds,
        why: this.#whyDue(state.leased, followers, attempts),
        beingFetched: state.leased,
        hostPausedUntil: state.hostPausedUntilSeconds,
      },
      hub: hub && { state: hub.state, expiresAt: hub.expiresSeconds },
      attempts,
      failedDocument: failedDocument && {
        at: failedDocument.atSeconds,
        message: failedDocument.message,
        contentType: failedDocument.contentType,
        bytes: failedDocument.byteCount,
        beginning: failedDocument.bytes.toString('utf8').slice(0, BEGINNING_CHARACTERS),
      },
    };
  }

  /** Fetches a source now, due or not. */
  async retry(sourceId: number): Promise<RefreshOutcome> {
    await this.log.record({
      kind: 'feed_changed',
      subject: { kind: 'source', id: String(sourceId) },
      details: 'fetched at once',
    });
    return this.refresher.refreshNow(sourceId);
  }

  #whyDue(leased: boolean, followers: number, [latest]: readonly Attempt[]): string {
    if (followers === 0) {
      return 'it has no followers, so it is not fetched';
    }
    if (leased) {
      return 'it is being fetched; if that fails without a trace, it is due again when the lease ends';
    }
    return latest?.decision ?? 'it has not been fetched yet';
  }
}

function healthOf({ goneSeconds, errorCount, fetchedSeconds }: Source): Health {
  if (goneSeconds !== null) {
    return 'gone';
  }
  if (errorCount > 0) {
    return 'failing';
  }
  return fetchedSeconds === null ? 'never fetched' : 'healthy';
}
