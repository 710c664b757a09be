import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { LimitReached } from '../../common/errors/limit-reached.js';
import type { Transaction } from '../../database/database.js';
import { GivenFeedsRepository, type GivenSource } from '../adding/given-feeds.repository.js';
import { GIVEN, givenSource, IMPORTED, importedSource } from '../adding/given-source.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { FoldersRepository } from '../reader/folders/folders.repository.js';
import type { FormatName } from './formats/found-row.js';
import { ImportedItemsRepository } from './imported-items.repository.js';
import type { ImportedRow } from './imported-row.js';
import type { KnownFeeds } from './known-feeds.js';
import { programOf } from './programs.js';
import { feedKey } from './row-identity.js';

/** Feeds of one program; the articles of further ones are together in one. */
const MOST_FEEDS = 100;

const LONGEST_TITLE = 200;

/** Where a row is stored anew. */
export interface ImportFeed {
  readonly feedId: number;
  readonly sourceId: number;
  /** Whether it has articles of several feeds. */
  readonly isRest: boolean;
}

/** Ids of what was made in a step. */
export interface MadeFeeds {
  readonly feedIds: number[];
  readonly folderIds: number[];
}

/** The user's own feeds for what files bring, which are not fetched. Called under the lock of the reader. */
@Injectable()
export class ImportFeeds {
  constructor(
    private readonly config: Config,
    private readonly given: GivenFeedsRepository,
    private readonly folders: FoldersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly items: ImportedItemsRepository,
  ) {}

  /**
   * The feed of such a source, which is made if necessary.
   *
   * @param made gets what is made
   * @throws LimitReached
   */
  async of(
    reader: Reader,
    format: FormatName,
    source: GivenSource,
    link: string | null,
    known: KnownFeeds,
    made: MadeFeeds,
    tx: Transaction,
  ): Promise<ImportFeed> {
    const isOfFile = source.url.startsWith(IMPORTED);
    const rest = importedSource(reader.userId, format, '', importedFrom(format));
    const isRest = source.urlKey.equals(rest.urlKey);
    const present =
      known.given(source.urlKey.toString('hex')) ??
      (await this.given.find(reader.id, source.urlKey, tx));
    if (present !== null) {
      return { ...present, isRest };
    }
    const most = this.config.limits['feeds-per-user'];
    const hasRoom = (await this.subscriptions.count(reader.id, most, tx)) < most;
    const ofProgram = known.all.filter(({ sourceUrl }) =>
      sourceUrl?.startsWith(`${IMPORTED}${format}/`),
    ).length;
    const count = ofProgram + made.feedIds.length;
    if (isOfFile && !isRest && (!hasRoom || count >= MOST_FEEDS)) {
      return this.of(reader, format, rest, null, known, made, tx);
    }
    if (!hasRoom) {
      throw new LimitReached(most, 'feeds per user');
    }
    const folderId = isOfFile
      ? await this.#folder(reader.id, importedFrom(format), made, tx)
      : null;
    const created = await this.given.create(reader.id, source, tx, folderId);
    await this.items.describe(created.sourceId, { title: source.title, link }, tx);
    made.feedIds.push(created.feedId);
    return { ...created, isRest };
  }

  async #folder(
    readerId: number,
    name: string,
    made: MadeFeeds,
    tx: Transaction,
  ): Promise<number | null> {
    const most = this.config.limits['folders-per-user'];
    const isMissing = (await this.folders.missing(readerId, [name], tx)) > 0;
    if (isMissing && (await this.folders.count(readerId, most, tx)) >= most) {
      return null;
    }
    const id = (await this.folders.findOrCreate(readerId, [name], tx)).get(name) ?? null;
    if (isMissing && id !== null) {
      made.folderIds.push(id);
    }
    return id;
  }
}

const importedFrom = (format: FormatName): string => `Imported from ${programOf(format)}`;

/** The source that has a row which is stored anew: one of its feed, or that of saved pages. */
export function sourceOf(reader: Reader, format: FormatName, { feed }: ImportedRow): GivenSource {
  if (feed === null) {
    return givenSource({ reader, app: null }, null);
  }
  const { url, siteUrl, title } = feed;
  if (url?.startsWith(GIVEN)) {
    return restoredSource(reader, url, title);
  }
  const host = URL.parse(url ?? siteUrl ?? '')?.host;
  const shown = (title?.trim() || host || importedFrom(format)).slice(0, LONGEST_TITLE);
  return importedSource(reader.userId, format, feedKey(feed), shown.toWellFormed());
}

/** A source of the user's own in another Gatefold: the one of this user that is like it. */
function restoredSource(reader: Reader, url: string, title: string | null): GivenSource {
  const [of = '', name] = url.slice(GIVEN.length).split('/').map(decoded);
  const shown = title?.trim() || name || of;
  if (of === 'imported') {
    return { ...importedSource(reader.userId, '', url, shown), url };
  }
  const app = of === 'saved' ? null : { appId: of, name: shown };
  return givenSource({ reader, app }, name ?? null);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
