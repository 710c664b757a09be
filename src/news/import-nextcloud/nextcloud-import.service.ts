import { Injectable } from '@nestjs/common';
import { FirstFetches } from '../opml/first-fetches.js';
import { ReaderIdsRepository } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { convertItem } from './convert-item.js';
import { readRows } from './exported-rows.js';
import { ImportRefused } from './import-nextcloud.errors.js';
import {
  ImportsRepository,
  type ImportedArticle,
  type ImportedItems,
  type ImportedSource,
} from './imports.repository.js';
import type { ImportPlan, PlannedFeed, PlannedUser } from './plan-import.js';

interface ImportOptions {
  /** Gives folders and feeds new ids instead of the export's. */
  readonly newIds: boolean;
}

interface ImportProgress {
  /** Articles are written first, then the users one by one. */
  readonly onBytesRead?: (bytes: number) => void;
  readonly onUser?: (user: ImportedUser) => void;
}

interface ImportedUser {
  readonly userId: string;
  readonly folders: number;
  readonly feeds: number;
  readonly items: number;
  /** Delivered articles from other followers' fetches that the export lacks. */
  readonly newItems: number;
}

/** The users of an export by whether they are still to be imported. */
export interface ImportTasks {
  readonly toImport: readonly PlannedUser[];
  /** Imported completely by an earlier run. */
  readonly done: readonly PlannedUser[];
}

const ARTICLES_PER_BATCH = 500;
const BATCH_CHARACTERS = 8 * 1024 * 1024;
const NAMED_IN_MESSAGES = 5;

/**
 * Imports users of Nextcloud News with their ids, flags and stamps, so that their clients resume
 * where they stopped. Each user is written in one transaction. An interrupted run can be repeated and
 * continues with the missing users.
 *
 * @see docs/migration.md
 */
@Injectable()
export class NextcloudImportService {
  constructor(
    private readonly ids: ReaderIdsRepository,
    private readonly readers: ReadersRepository,
    private readonly imports: ImportsRepository,
  ) {}

  /**
   * Checks everything that would make the import fail. Writes nothing.
   *
   * @throws ImportRefused
   */
  async check(plan: ImportPlan, options: ImportOptions): Promise<ImportTasks> {
    const toImport: PlannedUser[] = [];
    const done: PlannedUser[] = [];
    for (const user of plan.users) {
      ((await this.#isDone(user)) ? done : toImport).push(user);
    }
    if (!options.newIds) {
      const folderIds = toImport.flatMap(({ folders }) => folders.map(({ id }) => id));
      const feedIds = toImport.flatMap(({ feeds }) => feeds.map(({ id }) => id));
      refuseTaken('folders', await this.imports.takenIds('folder', folderIds));
      refuseTaken('feeds', await this.imports.takenIds('subscription', feedIds));
    }
    return { toImport, done };
  }

  /**
   * Imports these users of the plan.
   *
   * @throws ImportRefused when a user has got folders or feeds since `check`
   */
  async run(
    plan: ImportPlan,
    users: readonly PlannedUser[],
    options: ImportOptions,
    progress: ImportProgress = {},
  ): Promise<void> {
    if (users.length === 0) {
      return;
    }
    const sources = await this.#createSources(users);
    try {
      const items = await this.#importArticles(plan, users, sources, progress);
      await this.imports.finishSources(longestDocuments(users, sources));
      if (!options.newIds) {
        await this.imports.keepIdsFree(highest(users, 'folders'), highest(users, 'feeds'));
      }
      for (const user of users) {
        const imported = await this.#importUser(user, sources, items.get(user.userId), options);
        progress.onUser?.(imported);
      }
    } finally {
      await this.imports.removeUnfollowed([...sources.values()].map(({ id }) => id));
    }
  }

  async #isDone(user: PlannedUser): Promise<boolean> {
    const { id } = await this.ids.of(user.userId);
    const there = await this.imports.whatReaderHas(id);
    if (there.folderNames.size === 0 && there.urlKeys.size === 0) {
      return false;
    }
    const isDone =
      user.feeds.every((feed) => there.urlKeys.has(feed.urlKey.toString('hex'))) &&
      user.folders.every(({ name }) => there.folderNames.has(name));
    if (!isDone) {
      throw new ImportRefused(
        `User "${user.userId}" has folders or feeds in Gatefold already. Import into an account ` +
          `without any, for instance with --user-map ${user.oldUserId}=NEW.`,
      );
    }
    return true;
  }

  async #createSources(users: readonly PlannedUser[]): Promise<Map<string, ImportedSource>> {
    const firstFetches = new FirstFetches();
    const feeds = new Map<string, PlannedFeed>();
    for (const feed of users.flatMap((user) => user.feeds)) {
      feeds.set(feed.address, feed);
    }
    const wanted = [...feeds.values()].map(({ address, urlKey, hostKey, link }) => ({
      url: address,
      urlKey,
      hostKey,
      link,
      dueInSeconds: firstFetches.dueInSeconds(hostKey),
    }));
    const created = await this.imports.createSources(wanted);
    return new Map(
      wanted.flatMap(({ url, urlKey }) => {
        const source = created.get(urlKey.toString('hex'));
        return source === undefined ? [] : [[url, source] as const];
      }),
    );
  }

  /** Reads the file a second time: writes the articles, and collects users' items. */
  async #importArticles(
    plan: ImportPlan,
    users: readonly PlannedUser[],
    sources: ReadonlyMap<string, ImportedSource>,
    progress: ImportProgress,
  ): Promise<Map<string, UserItems>> {
    const items = new Map(users.map(({ userId }) => [userId, new UserItems()]));
    const total = users.reduce((sum, { itemCount }) => sum + itemCount, 0);
    const archive = await this.imports.archiveIds(total);
    let batch: (ImportedArticle & { readonly keep: (articleId: number) => void })[] = [];
    let characters = 0;

    const write = async () => {
      const ids = await this.imports.writeArticles(batch, archive);
      batch.forEach(({ keep }, place) => keep(ids[place] ?? 0));
      batch = [];
      characters = 0;
    };

    for await (const { bytesRead, exported } of readRows(plan.file)) {
      const kept = exported?.of === 'item' ? plan.keptFeed.get(exported.row.feedId) : undefined;
      const own = kept && items.get(kept.userId);
      const source = kept && sources.get(kept.feed.address);
      if (
        exported?.of !== 'item' ||
        kept === undefined ||
        own === undefined ||
        source === undefined
      ) {
        continue;
      }
      const { row } = exported;
      const article = convertItem(row, kept.feed.address);
      batch.push({
        sourceId: source.id,
        archived: source.isInUse,
        article,
        keep: (articleId) => own.add({ ...row, feedId: kept.feed.id, articleId }),
      });
      characters += article.body.length;
      if (batch.length >= ARTICLES_PER_BATCH || characters > BATCH_CHARACTERS) {
        await write();
        progress.onBytesRead?.(bytesRead);
      }
    }
    await write();
    return items;
  }

  async #importUser(
    user: PlannedUser,
    sources: ReadonlyMap<string, ImportedSource>,
    items: UserItems = new UserItems(),
    options: ImportOptions,
  ): Promise<ImportedUser> {
    const folderIds = await this.#ids(user.folders, options, 'folder');
    const feedIds = await this.#ids(user.feeds, options, 'subscription');
    return this.readers.change(await this.ids.of(user.userId), async (tx, reader) => {
      // Checked again under the lock.
      if (await this.imports.hasAnything(reader.id, tx)) {
        throw new ImportRefused(`User "${user.userId}" has got folders or feeds meanwhile.`);
      }
      await this.imports.createFolders(
        reader.id,
        user.folders.map(({ id, name }) => ({ id: folderIds.get(id) ?? id, name })),
        tx,
      );
      await this.imports.createFeeds(
        reader.id,
        user.feeds.flatMap((feed) => {
          const source = sources.get(feed.address);
          const id = feedIds.get(feed.id) ?? feed.id;
          const folderId = feed.folderId === null ? null : (folderIds.get(feed.folderId) ?? null);
          return source === undefined ? [] : { ...feed, id, folderId, sourceId: source.id };
        }),
        tx,
      );
      const written = await this.imports.createItems(reader, items.all(), feedIds, tx);
      const newItems = await this.imports.finishReader(
        reader,
        {
          nextItemId: user.highestItemId + 1,
          lastModifiedMicros: user.highestModifiedMicros,
        },
        tx,
      );
      return {
        userId: user.userId,
        folders: user.folders.length,
        feeds: user.feeds.length,
        items: written,
        newItems,
      };
    });
  }

  /** New ids by old ones. */
  async #ids(
    things: readonly { readonly id: number }[],
    { newIds }: ImportOptions,
    table: 'folder' | 'subscription',
  ): Promise<Map<number, number>> {
    const ids = newIds
      ? await this.imports.freshIds(table, things.length)
      : things.map(({ id }) => id);
    return new Map(things.map(({ id }, place) => [id, ids[place] ?? id]));
  }
}

interface UserItem {
  readonly id: number;
  readonly feedId: number;
  readonly articleId: number;
  readonly lastModifiedMicros: number;
  readonly unread: boolean;
  readonly starred: boolean;
}

/**
 * One user's items as columns of plain numbers. With its entry, an item takes about 180 bytes, so that a million
 * fit into memory. A repeated entry is kept under its newer id.
 */
class UserItems {
  readonly #columns = {
    ids: [] as number[],
    feedIds: [] as number[],
    articleIds: [] as number[],
    stamps: [] as number[],
    unread: [] as boolean[],
    starred: [] as boolean[],
  };
  readonly #placeByEntry = new Map<string, number>();

  add(item: UserItem): void {
    const columns = this.#columns;
    const entry = `${item.feedId}/${item.articleId}`;
    const earlier = this.#placeByEntry.get(entry);
    const place = earlier ?? columns.ids.length;
    this.#placeByEntry.set(entry, place);
    columns.ids[place] = item.id;
    columns.feedIds[place] = item.feedId;
    columns.articleIds[place] = item.articleId;
    columns.stamps[place] = item.lastModifiedMicros;
    columns.unread[place] = item.unread;
    columns.starred[place] = item.starred || columns.starred[place] === true;
  }

  all(): ImportedItems {
    return this.#columns;
  }
}

function longestDocuments(
  users: readonly PlannedUser[],
  sources: ReadonlyMap<string, ImportedSource>,
): Map<number, number> {
  const longest = new Map<number, number>();
  for (const { address, longestDocument } of users.flatMap(({ feeds }) => feeds)) {
    const source = sources.get(address);
    if (source !== undefined) {
      longest.set(source.id, Math.max(longest.get(source.id) ?? 0, longestDocument));
    }
  }
  return longest;
}

function highest(users: readonly PlannedUser[], of: 'folders' | 'feeds'): number {
  return users.reduce(
    (most, user) => user[of].reduce((id, thing) => Math.max(id, thing.id), most),
    0,
  );
}

function refuseTaken(what: 'folders' | 'feeds', taken: readonly number[]): void {
  if (taken.length === 0) {
    return;
  }
  const named = taken.slice(0, NAMED_IN_MESSAGES).join(', ');
  throw new ImportRefused(
    `Ids of ${what} are taken in Gatefold: ${named}${taken.length > NAMED_IN_MESSAGES ? ` and ${taken.length - NAMED_IN_MESSAGES} more` : ''}. ` +
      'Import into an empty installation, or use --new-ids; then clients have to synchronise anew.',
  );
}
