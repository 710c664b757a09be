import { Injectable } from '@nestjs/common';
import dns from 'node:dns/promises';
import { setTimeout as passed } from 'node:timers/promises';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { AddressPolicy } from '../../common/http/address-policy.js';
import type { Language } from '../../common/texts/languages.js';
import { sentenceIn } from '../../common/texts/translations.js';
import { visitorLanguage } from '../../common/texts/visitor-language.js';
import { Turns } from '../../common/turns.js';
import { forOthersToo } from '../../database/statement-limits.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { isShareable } from './shareable-address.js';
import { readStarterFeeds, SuggestingSettings, type StarterFeed } from './suggesting.settings.js';
import { best, indexed, type Indexed, type Suggestion } from './suggestion-ranking.js';
import { SuggestionsRepository } from './suggestions.repository.js';

const MOST_ANSWERS = 20;
/** Some may turn out to be the reader's own, or not to be public. */
const CANDIDATES = 40;

/** Followed sources in memory, about 8 MB, and how long they are used. */
const MOST_FOLLOWED = 20_000;
const FOLLOWED_LASTS_SECONDS = 900;

const LOOKUP_MS = 2000;
const PUBLIC_ONLY = new AddressPolicy([]);

/**
 * Finds feeds by name and topic: the reader's own, those of the starter list, and public ones that others
 * follow here.
 *
 * @see docs/decisions/0106-find-without-an-address.md
 */
@Injectable()
export class SuggestionsService {
  /** Replaced by tests. */
  resolve: (host: string) => Promise<readonly { readonly address: string }[]> = (host) =>
    dns.lookup(host, { all: true });

  readonly #starters = new Map<Language, readonly Indexed[]>();
  #readStarters: readonly StarterFeed[] | undefined;
  #followed: Promise<readonly Indexed[]> = Promise.resolve([]);
  #followedUntilSeconds = 0;
  #publicHosts = new Map<string, Promise<boolean>>();

  constructor(
    private readonly config: Config,
    private readonly settings: SuggestingSettings,
    private readonly clock: Clock,
    private readonly repository: SuggestionsRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /** The best first, at most `MOST_ANSWERS`; none without a word. Reasons and topics are translated. */
  async find({ id }: Reader, sought: string): Promise<Suggestion[]> {
    const language = visitorLanguage();
    const [own, followed] = await Promise.all([this.repository.own(id), this.#sharedSources()]);
    const ownIndex = await new Turns().map(own, (feed) =>
      indexed({ ...FEED, ...feed, link: feed.link ?? '' }, 2e9),
    );
    const starters = this.#starterIndex(language);
    const known = new Set(starters.map(({ suggestion }) => suggestion.url));
    const others = followed.filter(({ suggestion }) => !known.has(suggestion.url));
    const found = await best([...ownIndex, ...starters, ...others], sought, language, CANDIDATES);
    const shown = await Promise.all(
      found.map(async (entry) => (await this.#mayShow(entry)) && entry),
    );
    return this.#withOwn(
      id,
      shown.flatMap((entry) => (entry ? [entry.suggestion] : [])),
    );
  }

  /** Topics of the starter list, the most frequent first, translated. */
  topics(): string[] {
    const counts = new Map<string, number>();
    const topics = this.#starterIndex(visitorLanguage()).flatMap(
      ({ suggestion }) => suggestion.topics,
    );
    topics.forEach((topic) => counts.set(topic, (counts.get(topic) ?? 0) + 1));
    return [...counts].toSorted(([, a], [, b]) => b - a).map(([topic]) => topic);
  }

  /** Marks what the reader follows, by whatever name, and leaves out repetitions. */
  async #withOwn(readerId: number, found: readonly Suggestion[]): Promise<Suggestion[]> {
    const urls = found.filter(({ feedId }) => feedId === null).map(({ url }) => url);
    const followed = await this.subscriptions.followedAt(readerId, urls);
    const seen = new Set<number>();
    return found
      .map((one) => ({ ...one, feedId: one.feedId ?? followed.get(one.url)?.id ?? null }))
      .map((one) => (one.feedId === null ? one : { ...one, reason: null }))
      .filter(({ feedId }) => feedId === null || (!seen.has(feedId) && seen.add(feedId)))
      .slice(0, MOST_ANSWERS);
  }

  #starterIndex(language: Language): readonly Indexed[] {
    const present = this.#starters.get(language);
    if (present !== undefined) {
      return present;
    }
    this.#readStarters ??=
      this.settings.starterFeeds ??
      readStarterFeeds(new URL('./starter-feeds.json', import.meta.url));
    const index = this.#readStarters.map(({ checked: _, ...feed }) => {
      const [reason = '', ...topics] = [feed.reason, ...feed.topics].map((text) =>
        sentenceIn(language, text),
      );
      return indexed({ ...FEED, ...feed, reason, topics }, 1e9);
    });
    this.#starters.set(language, index);
    return index;
  }

  async #sharedSources(): Promise<readonly Indexed[]> {
    const { suggestFollowed } = this.settings;
    if (suggestFollowed === null || this.clock.nowSeconds() < this.#followedUntilSeconds) {
      return this.#followed;
    }
    this.#followedUntilSeconds = this.clock.nowSeconds() + FOLLOWED_LASTS_SECONDS;
    this.#followed = forOthersToo(() => this.#readFollowed(suggestFollowed));
    // Asked again by the next request.
    this.#followed.catch(() => (this.#followedUntilSeconds = 0));
    return this.#followed;
  }

  async #readFollowed(atLeast: number): Promise<readonly Indexed[]> {
    const sources = await this.repository.followed(atLeast, MOST_FOLLOWED);
    this.#publicHosts = new Map();
    const index = await new Turns().map(sources, ({ followers, link, movedTo, url, title }) =>
      isShareable(url) && (movedTo === null || isShareable(movedTo))
        ? [indexed({ ...FEED, title, url, link: link ?? '', reason: FOLLOWED_HERE }, followers)]
        : [],
    );
    return index.flat();
  }

  /** Private servers have public names where the operator allows them, or where a proxy looks names up. */
  async #mayShow({ suggestion }: Indexed): Promise<boolean> {
    const { fetchAllowPrivate, outgoingProxy } = this.config;
    if (
      suggestion.reason !== FOLLOWED_HERE ||
      (fetchAllowPrivate.length === 0 && outgoingProxy === undefined)
    ) {
      return true;
    }
    const { hostname } = new URL(suggestion.url);
    const known = this.#publicHosts.get(hostname) ?? this.#isPublic(hostname);
    this.#publicHosts.set(hostname, known);
    return known;
  }

  async #isPublic(host: string): Promise<boolean> {
    const isPublic = this.resolve(host).then(
      (found) =>
        found.length > 0 && found.every(({ address }) => PUBLIC_ONLY.judge(address) === 'public'),
      () => false,
    );
    return Promise.race([isPublic, passed(LOOKUP_MS, false, { ref: false })]);
  }
}

const FOLLOWED_HERE = 'Others follow it here.';

const FEED = { language: null, topics: [], reason: null, feedId: null };
