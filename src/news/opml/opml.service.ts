import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { assertBelowLimit, LimitReached } from '../../common/errors/limit-reached.js';
import { Turns } from '../../common/turns.js';
import type { SqlRunner } from '../../database/database.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { FoldersRepository } from '../reader/folders/folders.repository.js';
import type { FeedAddress } from '../sources/feed-address.js';
import { SourcesRepository, type NewSource } from '../sources/sources.repository.js';
import { FirstFetches } from './first-fetches.js';
import type { NotTaken } from './foreign-attributes.js';
import { OpmlReader } from './opml-reader.service.js';
import { OpmlRules } from './opml-rules.service.js';
import { OpmlRepository, type FailingFeed, type FetchProgress } from './opml.repository.js';
import type { InvalidOpmlFeed, OpmlDocument, OpmlFeed } from './read-opml.js';

export interface OpmlImportResult {
  readonly imported: number;
  readonly alreadyThere: number;
  /** The first `MOST_FAILURES`. */
  readonly invalid: readonly InvalidOpmlFeed[];
  /** Number of further ones; absent without any. */
  readonly moreInvalid?: number;
  /** Attributes of other readers that became nothing: the first `MOST_FAILURES`; absent without any. */
  readonly notTaken?: readonly NotTakenAttribute[];
  /** Number of further ones; absent without any. */
  readonly moreNotTaken?: number;
  /** Feeds of this import have higher ids: the argument for `fetchProgress`. */
  readonly afterFeedId: number;
}

interface NotTakenAttribute extends InvalidOpmlFeed, NotTaken {}

/** Progress of the first fetches, and their failures. */
interface ImportProgress extends FetchProgress {
  /** At most `MOST_FAILURES`. */
  readonly failures: readonly FailingFeed[];
}

interface ImportManner {
  /** Called before the first batch and after each. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Newest items that each feed has unread after its first fetch; absent is all. */
  readonly startUnread?: number | undefined;
}

export interface ImportableFeed extends NewSource {
  readonly title: string | null;
  readonly folder: string | null;
  readonly fullText: boolean;
}

/** Few enough that the user's other requests get the lock in between. */
const FEEDS_PER_TRANSACTION = 100;

/** Maximum number of failures in an answer. */
const MOST_FAILURES = 500;

/** Characters of a title or address: enough to find the entry, few enough for thousands of them. */
const LONGEST_SHOWN = 300;

/** Subscribes users to lists of feeds. The schedule fetches new feeds. */
@Injectable()
export class OpmlService {
  #onImported: (reader: Reader, result: OpmlImportResult) => void = () => {};

  constructor(
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly sources: SourcesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly opml: OpmlRepository,
    private readonly reader: OpmlReader,
    private readonly rules: OpmlRules,
    private readonly config: Config,
  ) {}

  /** @param listener called after an import of new feeds, whose first fetches follow */
  onImported(listener: (reader: Reader, result: OpmlImportResult) => void): void {
    this.#onImported = listener;
  }

  /**
   * Subscribes to every feed of the file that the user does not follow yet. Invalid entries are reported
   * and skipped; an unreadable file changes nothing. Commits in batches: an interrupted import can be
   * repeated.
   *
   * @param manner initial state of the feeds, and progress listener
   * @throws LimitReached when there are too many folders; batches before that stay imported
   */
  async import(
    reader: Reader,
    file: Uint8Array,
    { onProgress = () => {}, startUnread }: ImportManner = {},
  ): Promise<OpmlImportResult> {
    const document = await this.reader.readFile(file);
    const { feeds, repeated, invalid, left } = await sortOut(document, (feed) =>
      this.reader.addressOf(feed),
    );
    const afterFeedId = await this.opml.newestFeedId(reader.id);
    let imported = 0;
    const noRoom: ImportableFeed[] = [];
    onProgress(0, feeds.length);
    for (let at = 0; at < feeds.length; at += FEEDS_PER_TRANSACTION) {
      const followed = await this.#follow(
        reader,
        feeds.slice(at, at + FEEDS_PER_TRANSACTION),
        startUnread ?? null,
      );
      imported += followed.imported;
      noRoom.push(...followed.noRoom);
      onProgress(Math.min(at + FEEDS_PER_TRANSACTION, feeds.length), feeds.length);
    }
    if (document.emptyFolders.length > 0) {
      await this.readers.change(reader, async (tx, reader) => {
        await this.#assertRoomForFolders(reader.id, document.emptyFolders, tx);
        await this.folders.findOrCreate(reader.id, document.emptyFolders, tx);
      });
    }
    const alreadyThere = repeated + feeds.length - imported - noRoom.length;
    // Once: an error has a stack, and there may be thousands of feeds.
    const { message: reason } = new LimitReached(
      this.config.limits['feeds-per-user'],
      'feeds per user',
    );
    const rules = await this.rules.import(reader, document);
    const refused = [...invalid, ...noRoom.map((feed) => withoutRoom(feed, reason)), ...rules];
    const moreInvalid = refused.length - MOST_FAILURES;
    const result = {
      imported,
      alreadyThere,
      invalid: refused.slice(0, MOST_FAILURES),
      ...(moreInvalid > 0 && { moreInvalid }),
      ...(left.length > 0 && { notTaken: left.slice(0, MOST_FAILURES) }),
      ...(left.length > MOST_FAILURES && { moreNotTaken: left.length - MOST_FAILURES }),
      afterFeedId,
    };
    this.#onImported(reader, result);
    return result;
  }

  /** The feeds of a file, which need not be the reader's. @throws UnreadableOpml */
  async feedsIn(file: Uint8Array): Promise<Awaited<ReturnType<typeof sortOut>>> {
    return sortOut(await this.reader.readFile(file), (feed) => this.reader.addressOf(feed));
  }

  /** @param afterFeedId of an `OpmlImportResult`; 0 for all of the user's feeds */
  async fetchProgress(reader: Reader, afterFeedId = 0): Promise<ImportProgress> {
    const [progress, failures] = await Promise.all([
      this.opml.fetchProgress(reader.id, afterFeedId),
      this.opml.failing(reader.id, afterFeedId, MOST_FAILURES),
    ]);
    return { ...progress, failures };
  }

  /** Subscribes to as many feeds as the user's limit permits, and returns the others. */
  async #follow(
    reader: Reader,
    feeds: readonly ImportableFeed[],
    startUnread: number | null,
  ): Promise<{ readonly imported: number; readonly noRoom: readonly ImportableFeed[] }> {
    return this.readers.change(reader, async (tx, reader) => {
      const wanted = await this.subscriptions.notYetFollowed(reader.id, feeds, tx);
      const most = this.config.limits['feeds-per-user'];
      const room = most - (await this.subscriptions.count(reader.id, most, tx));
      const unknown = wanted.slice(0, room);
      const imported = await this.#create(reader.id, unknown, startUnread, tx);
      return { imported, noRoom: wanted.slice(room) };
    });
  }

  async #create(
    readerId: number,
    unknown: readonly ImportableFeed[],
    startUnread: number | null,
    tx: SqlRunner,
  ): Promise<number> {
    const names = unknown.flatMap(({ folder }) => folder ?? []);
    await this.#assertRoomForFolders(readerId, names, tx);
    const folderIds = await this.folders.findOrCreate(readerId, names, tx);
    const sourceIds = await this.sources.createMany(unknown, tx);
    return this.subscriptions.createMany(
      readerId,
      unknown.flatMap(({ urlKey, url, title, folder, fullText }) => {
        const sourceId = sourceIds.get(urlKey.toString('hex'));
        const folderId = folder === null ? null : (folderIds.get(folder) ?? null);
        return sourceId === undefined
          ? []
          : { sourceId, folderId, url, title, startUnread, fullText };
      }),
      tx,
    );
  }

  /** @throws LimitReached */
  async #assertRoomForFolders(
    readerId: number,
    names: readonly string[],
    tx: SqlRunner,
  ): Promise<void> {
    const missing = await this.folders.missing(readerId, names, tx);
    const count = await this.folders.count(readerId, this.config.limits['folders-per-user'], tx);
    if (missing > 0) {
      assertBelowLimit(this.config, 'folders-per-user', count, missing);
    }
  }
}

function withoutRoom({ url, title }: ImportableFeed, reason: string): InvalidOpmlFeed {
  return { title: shown(title ?? ''), url: shown(url), reason, line: null };
}

/** Separates the importable feeds from repeated and invalid entries. */
async function sortOut(
  { feeds: written, damage }: OpmlDocument,
  addressOf: (feed: OpmlFeed) => FeedAddress,
): Promise<{
  readonly feeds: readonly ImportableFeed[];
  readonly repeated: number;
  readonly invalid: readonly InvalidOpmlFeed[];
  readonly left: readonly NotTakenAttribute[];
}> {
  const turns = new Turns();
  const firstFetches = new FirstFetches();
  const feeds = new Map<string, ImportableFeed>();
  const invalid: InvalidOpmlFeed[] = [];
  const left: NotTakenAttribute[] = [];
  let repeated = 0;
  for (const feed of written) {
    await turns.take();
    const address = readAddress(feed, addressOf);
    if ('reason' in address) {
      invalid.push(address);
      continue;
    }
    const { href, key, host, access, certificateEnds } = address;
    const { line, title } = feed;
    for (const one of feed.foreign?.notTaken ?? []) {
      left.push({ title: shown(title ?? ''), url: shown(feed.url), line, ...one });
    }
    if (feeds.has(href)) {
      repeated += 1;
      continue;
    }
    feeds.set(href, {
      url: href,
      urlKey: key,
      hostKey: host,
      dueInSeconds: firstFetches.dueInSeconds(host),
      title,
      folder: feed.folder,
      access,
      certificateEnds,
      fullText: feed.foreign?.fullText ?? false,
    });
  }
  if (damage !== null) {
    invalid.push({ title: '', url: '', reason: damage, line: written.at(-1)?.line ?? null });
  }
  return { feeds: [...feeds.values()], repeated, invalid, left };
}

function readAddress(
  feed: OpmlFeed,
  addressOf: (feed: OpmlFeed) => FeedAddress,
): FeedAddress | InvalidOpmlFeed {
  const { url, title, line, refusal } = feed;
  if (refusal !== undefined) {
    return { title: shown(title ?? ''), url: shown(url), reason: refusal, line };
  }
  try {
    return addressOf(feed);
  } catch (error) {
    if (!(error instanceof DomainError)) {
      throw error;
    }
    return { title: shown(title ?? ''), url: shown(url), reason: error.message, line };
  }
}

function shown(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…`;
}
