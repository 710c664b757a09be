import { Injectable } from '@nestjs/common';
import { lookup } from 'node:dns/promises';
import { Config } from '../../common/config/config.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { AddressPolicy, type AddressVerdict } from '../../common/http/address-policy.js';
import { errorCode } from '../../common/http/outgoing-errors.js';
import { typedAddress, type FeedAddress } from '../sources/feed-address.js';
import { FeedFetcher, FIRST_FETCH, type FetchedFeed } from '../sources/fetch/fetch-feed.service.js';
import { UpdatePlanner } from '../sources/schedule/update-planner.service.js';
import { shownAddress } from '../sources/shown-address.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import { FeedDoctor, type SourceReport } from './feed-doctor.service.js';

export interface Step {
  readonly step: 'address' | 'name' | 'answer' | 'document' | 'decision';
  readonly ok: boolean;
  readonly text: string;
}

/** The steps of a subscription to an address, up to the first failure. */
export interface AddressReport {
  readonly steps: readonly Step[];
  /** Addresses of feeds that the web page at the address names. */
  readonly feeds: readonly string[];
  /** The source of the address, if it exists. */
  readonly source: SourceReport | null;
}

const NEW_SOURCE = {
  errorCount: 0,
  publishingHints: null,
  pushed: false,
  recentPubDatesSeconds: [],
  wantedEveryHours: null,
  isWantedByAll: false,
};

/** The kinds of addresses that a host name resolves to. The addresses themselves are not disclosed. */
export type HostFindings =
  | { readonly found: true; readonly verdicts: readonly AddressVerdict[] }
  | { readonly found: false; readonly code: string };

/** Explains to administrators the effect of a subscription to an address. */
@Injectable()
export class AddressDoctor {
  constructor(
    private readonly config: Config,
    private readonly fetcher: FeedFetcher,
    private readonly planner: UpdatePlanner,
    private readonly sources: SourcesRepository,
    private readonly feedDoctor: FeedDoctor,
  ) {}

  /**
   * Fetches the address like a new subscription, and writes nothing.
   *
   * @param showQueries shows the queries of addresses, which may hold secrets
   */
  async examine(url: string, showQueries = false): Promise<AddressReport> {
    const steps: Step[] = [];
    const report = (feeds: readonly string[] = [], source: SourceReport | null = null) => ({
      steps,
      feeds: feeds.map((feed) => shownAddress(feed, showQueries)),
      source,
    });
    let address: FeedAddress;
    try {
      address = typedAddress(url);
    } catch (error) {
      if (!(error instanceof DomainError)) {
        throw error;
      }
      steps.push({ step: 'address', ok: false, text: error.message });
      return report();
    }
    const known = await this.sources.findByKey(address.key);
    const source = known && (await this.feedDoctor.examineSource(known.id, showQueries));
    steps.push({ step: 'address', ok: true, text: describeAddress(address.href, source) });

    const findings = await lookUpHost(address.host, this.config.fetchAllowPrivate);
    const name = describeHost(findings, this.config.outgoingProxy !== undefined);
    steps.push({ step: 'name', ...name });
    if (!name.ok) {
      return report([], source);
    }

    const fetched = await this.fetcher.fetch({ ...FIRST_FETCH, url: address.href });
    steps.push(...describeFetch(fetched, showQueries));
    const next = this.planner.nextUpdate(NEW_SOURCE, fetched);
    const minutes = Math.round(next.waitSeconds / 60);
    steps.push({
      step: 'decision',
      ok: fetched.outcome === 'feed',
      text:
        fetched.outcome === 'feed'
          ? `It can be subscribed to, and would be fetched again in ${minutes} min: ${next.reason}`
          : 'It cannot be subscribed to.',
    });
    return report(
      fetched.outcome === 'web-page' ? fetched.page.namedFeeds.map(({ url }) => url) : [],
      source,
    );
  }
}

function describeAddress(address: string, source: SourceReport | null): string {
  const { protocol, username, password } = new URL(address);
  const facts = [
    protocol === 'https:' ? 'https' : 'http, which anyone on the network path can read and change',
    ...(username || password ? ['with credentials'] : []),
    source === null
      ? 'nobody follows it yet'
      : `source ${source.sourceId}, followed by ${source.followers}`,
  ];
  return facts.join('; ');
}

function describeHost(findings: HostFindings, hasProxy: boolean): { ok: boolean; text: string } {
  if (!findings.found) {
    const text = `the host name cannot be resolved here (${findings.code})`;
    return { ok: hasProxy, text };
  }
  const count = (verdict: string) => findings.verdicts.filter((v) => v === verdict).length;
  const kinds = [
    [count('public'), 'public'],
    [count('allow-listed'), 'allowed by GATEFOLD_FETCH_ALLOW_PRIVATE'],
    [count('refused'), 'not public, therefore refused'],
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
          text: describeWebPage(fetched.page.namedFeeds.length),
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

function describeWebPage(linkedFeeds: number): string {
  if (linkedFeeds === 0) {
    return 'This is a web page, not a feed, and it links to no feed.';
  }
  return `This is a web page, not a feed. It links to ${linkedFeeds === 1 ? 'one feed' : `${linkedFeeds} feeds`}.`;
}

function describeDocument({ feed, hub }: FetchedFeed & { readonly outcome: 'feed' }): string {
  const dates = feed.items.flatMap(({ pubDateSeconds }) => pubDateSeconds ?? []);
  const newest = dates.length === 0 ? null : Math.max(...dates);
  return [
    `"${feed.title}" with ${feed.items.length} entries`,
    ...(newest === null ? [] : [`the newest of ${new Date(newest * 1000).toISOString()}`]),
    ...(hub === null ? [] : [`with the hub ${new URL(hub.hubUrl).host}`]),
    ...(feed.warning === null ? [] : [`incomplete: ${feed.warning}`]),
  ].join(', ');
}

/** @param allowedCidrs private networks that the operator allows */
export async function lookUpHost(
  hostname: string,
  allowedCidrs: readonly string[],
): Promise<HostFindings> {
  const policy = new AddressPolicy(allowedCidrs);
  try {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return { found: true, verdicts: addresses.map(({ address }) => policy.judge(address)) };
  } catch (error) {
    return { found: false, code: errorCode(error) };
  }
}
