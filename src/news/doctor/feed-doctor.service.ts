import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { normaliseFeedAddress, urlKey } from '../sources/feed-address.js';
import { FeedFetcher, type FetchedFeed } from '../sources/fetch/fetch-feed.js';
import { FeedNotFound } from '../news.errors.js';
import { OutageWatch } from '../sources/network-outage-detector.js';
import { SourceRefresher, type RefreshOutcome } from '../sources/source-refresher.js';
import {
  FetchHistoryRepository,
  type Attempt,
} from '../sources/history/fetch-history.repository.js';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';
import { SourcesRepository, type Source } from '../sources/sources.repository.js';
import { WebSubRepository, type WebSubState } from '../websub/websub.repository.js';
import { SourceNotFound } from './doctor.errors.js';
import { lookUpHost, type HostFindings } from './look-up-host.js';
import { shownAddress } from './shown-address.js';

export type Health = 'healthy' | 'failing' | 'gone' | 'never fetched';

/** All that is known about a source, fit to be shown to an administrator. Times are unix seconds. */
export interface SourceReport {
  readonly sourceId: number;
  readonly title: string;
  readonly address: string;
  /** Another one than `address` since the publisher moved. */
  readonly fetchedFrom: string;
  readonly announcedMove: { readonly to: string; readonly sightings: number } | null;
  readonly followers: number;
  readonly health: Health;
  readonly errorsInRow: number;
  readonly lastError: string | null;
  /** What was damaged or left out in the last document that was read; null when it was whole. */
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

export interface Step {
  readonly step: 'address' | 'name' | 'answer' | 'document' | 'decision';
  readonly ok: boolean;
  readonly text: string;
}

/** What happens with an address, step by step, up to the first that fails. */
export interface AddressReport {
  readonly steps: readonly Step[];
  /** Addresses of feeds that a web page there names. */
  readonly feeds: readonly string[];
  /** When the address is a source already. */
  readonly source: SourceReport | null;
}

const ATTEMPTS_SHOWN = 50;
const BEGINNING_CHARACTERS = 4000;

const FIRST_VISIT = { id: 0, errorCount: 0, publishingHints: null, pushed: false };

/** Explains how a feed is doing and why, to administrators. */
@Injectable()
export class FeedDoctor {
  constructor(
    private readonly config: Config,
    private readonly fetcher: FeedFetcher,
    private readonly refresher: SourceRefresher,
    private readonly outage: OutageWatch,
    private readonly sources: SourcesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly history: FetchHistoryRepository,
    private readonly webSub: WebSubRepository,
  ) {}

  /** @throws FeedNotFound */
  async sourceOfFeed(feedId: number): Promise<number> {
    const sourceId = await this.sources.idOfFeed(feedId);
    if (sourceId === null) {
      throw new FeedNotFound(feedId);
    }
    return sourceId;
  }

  /**
   * @param showQueries shows the queries of addresses, which may hold secrets
   * @throws SourceNotFound
   */
  async examineSource(sourceId: number, showQueries = false): Promise<SourceReport> {
    const source = await this.sources.find(sourceId);
    if (source === null) {
      throw new SourceNotFound(sourceId);
    }
    const [followers, attempts, failedDocument, state, hub] = await Promise.all([
      this.sources.followers(sourceId),
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

  /** Tries an address as if somebody subscribed to it, and writes nothing. */
  async examineAddress(url: string, showQueries = false): Promise<AddressReport> {
    const steps: Step[] = [];
    const report = (feeds: readonly string[] = [], source: SourceReport | null = null) => ({
      steps,
      feeds: feeds.map((feed) => shownAddress(feed, showQueries)),
      source,
    });
    let address: string;
    try {
      address = normaliseFeedAddress(url);
    } catch (error) {
      if (!(error instanceof DomainError)) {
        throw error;
      }
      steps.push({ step: 'address', ok: false, text: error.message });
      return report();
    }
    const known = await this.sources.findByKey(urlKey(address));
    const source = known && (await this.examineSource(known.id, showQueries));
    steps.push({ step: 'address', ok: true, text: describeAddress(address, source) });

    const findings = await lookUpHost(new URL(address).hostname, this.config.fetchAllowPrivate);
    const name = describeHost(findings);
    steps.push({ step: 'name', ...name });
    if (!name.ok) {
      return report([], source);
    }

    const fetched = await this.fetcher.fetch({
      url: address,
      etag: null,
      lastModified: null,
      bodyHash: null,
    });
    steps.push(...describeFetch(fetched, showQueries));
    const next = await this.refresher.nextUpdate(FIRST_VISIT, fetched);
    const minutes = Math.round(next.waitSeconds / 60);
    steps.push({
      step: 'decision',
      ok: fetched.outcome === 'feed',
      text:
        fetched.outcome === 'feed'
          ? `it can be subscribed to, and would be fetched again in ${minutes} min: ${next.reason}`
          : 'it cannot be subscribed to',
    });
    return report(fetched.outcome === 'web-page' ? fetched.feedAddresses : [], source);
  }

  /** Fetches a source at once, whatever its schedule says. */
  async retry(sourceId: number): Promise<RefreshOutcome> {
    return this.refresher.refreshNow(sourceId);
  }

  #whyDue(leased: boolean, followers: number, [latest]: readonly Attempt[]): string {
    if (followers === 0) {
      return 'nobody follows it, so it is not fetched';
    }
    if (leased) {
      return 'it is being fetched; should that break off, it is due again when the lease ends';
    }
    if (this.outage.isOutage) {
      return 'the network seems to be down; all feeds are tried again soon';
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

function describeAddress(address: string, source: SourceReport | null): string {
  const { protocol, username, password } = new URL(address);
  const facts = [
    protocol === 'https:' ? 'https' : 'http, which anybody on the way can read and change',
    ...(username || password ? ['with credentials'] : []),
    source === null
      ? 'not fetched for anybody yet'
      : `source ${source.sourceId}, followed by ${source.followers}`,
  ];
  return facts.join('; ');
}

function describeHost(findings: HostFindings): { ok: boolean; text: string } {
  if (!findings.found) {
    return { ok: false, text: `the server's name cannot be looked up (${findings.code})` };
  }
  const count = (verdict: string) => findings.verdicts.filter((v) => v === verdict).length;
  const kinds = [
    [count('public'), 'public'],
    [count('allow-listed'), 'allowed by GATEFOLD_FETCH_ALLOW_PRIVATE'],
    [count('refused'), 'not public, and so refused'],
  ]
    .filter(([number]) => number !== 0)
    .map(([number, kind]) => `${number} ${kind}`);
  const ok = findings.verdicts.some((verdict) => verdict !== 'refused');
  return { ok, text: `addresses of the server: ${kinds.join(', ')}` };
}

function describeFetch(fetched: FetchedFeed, showQueries: boolean): Step[] {
  const { status, contentType, bytes, durationMs, redirects } = fetched;
  const way = redirects.map(
    (redirect) => `${redirect.status} to ${shownAddress(redirect.to, showQueries)}`,
  );
  const answer = [
    ...way,
    ...(status === null ? [] : [`status ${status}`]),
    ...(contentType === null ? [] : [contentType]),
    ...(bytes === 0 ? [] : [`${bytes} bytes`]),
    `${durationMs} ms`,
  ].join(', ');
  switch (fetched.outcome) {
    case 'feed':
      return [
        { step: 'answer', ok: true, text: answer },
        { step: 'document', ok: true, text: describeDocument(fetched) },
      ];
    case 'unchanged':
      return [{ step: 'answer', ok: true, text: answer }];
    case 'web-page':
      return [
        { step: 'answer', ok: true, text: answer },
        {
          step: 'document',
          ok: false,
          text: `a web page that names ${fetched.feedAddresses.length} feeds`,
        },
      ];
    case 'failed': {
      const isRead = fetched.kind === 'not-a-feed';
      return [
        { step: 'answer', ok: isRead, text: isRead ? answer : `${fetched.message} (${answer})` },
        ...(isRead ? [{ step: 'document' as const, ok: false, text: fetched.message }] : []),
      ];
    }
  }
}

function describeDocument({ feed, hub }: FetchedFeed & { readonly outcome: 'feed' }): string {
  const dates = feed.items.flatMap(({ pubDateSeconds }) => pubDateSeconds ?? []);
  const newest = dates.length === 0 ? null : Math.max(...dates);
  return [
    `"${feed.title}" with ${feed.items.length} entries`,
    ...(newest === null ? [] : [`the newest of ${new Date(newest * 1000).toISOString()}`]),
    ...(hub === null ? [] : [`with the hub ${new URL(hub.hubUrl).host}`]),
    ...(feed.warning === null ? [] : [`in part only: ${feed.warning}`]),
  ].join(', ');
}
