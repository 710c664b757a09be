import { DomainError } from '../../common/errors/domain-error.js';
import { cutAt, onOneLine } from '../feed-parser/html/plain-text.js';
import { webAddress } from '../feed-parser/web-address.js';
import { feedAddress } from '../sources/feed-address.js';
import { readRows, type FeedRow, type FolderRow, type ItemRow } from './exported-rows.js';
import { ImportRefused, UnreadableExport } from './import-nextcloud.errors.js';

interface PlannedFolder {
  readonly id: number;
  readonly name: string;
}

export interface PlannedFeed {
  readonly id: number;
  /** The user's address, with the feed's credentials in it. */
  readonly url: string;
  /** Normalised. */
  readonly address: string;
  readonly urlKey: Buffer;
  readonly hostKey: string;
  readonly title: string | null;
  /** The website, which the publisher's own answer replaces. */
  readonly link: string | null;
  readonly folderId: number | null;
  readonly addedSeconds: number;
  readonly ordering: number;
  readonly pinned: boolean;
  readonly fullText: boolean;
  /** 0 a changed article keeps its unread flag, 1 it becomes unread. */
  readonly updateMode: number;
  readonly longestDocument: number;
}

/** One user's part of an export. */
export interface PlannedUser {
  readonly oldUserId: string;
  readonly userId: string;
  readonly folders: readonly PlannedFolder[];
  readonly feeds: readonly PlannedFeed[];
  readonly itemCount: number;
  readonly unreadCount: number;
  readonly starredCount: number;
  readonly highestItemId: number;
  readonly highestModifiedMicros: number;
}

/** The contents of an export, without its articles. */
export interface ImportPlan {
  readonly file: string;
  readonly users: readonly PlannedUser[];
  /** Kept feed by its id in the export; of two feeds with the same address, the first. */
  readonly keptFeed: ReadonlyMap<number, { readonly userId: string; readonly feed: PlannedFeed }>;
  /** Messages about everything that is changed or skipped. */
  readonly notes: readonly string[];
}

interface PlanOptions {
  /** New user ids by the export's ids; other users keep theirs. */
  readonly userMap: ReadonlyMap<string, string>;
  /** Called regularly with the bytes read. */
  readonly onProgress?: (bytesRead: number) => void;
}

const LONGEST_NAME = 255;
const LONGEST_TITLE = 1_000;

/**
 * Reads the whole export and rejects everything that would fail later, so that an import that starts
 * can be completed. Keeps folders and feeds in memory, of items only counts.
 *
 * @throws UnreadableExport
 * @throws ImportRefused
 */
export async function planImport(file: string, options: PlanOptions): Promise<ImportPlan> {
  const draft = new PlanDraft(options.userMap);
  for await (const { number, bytesRead, exported } of readRows(file)) {
    switch (exported?.of) {
      case 'folder':
        draft.addFolder(exported.row, number);
        break;
      case 'feed':
        draft.addFeed(exported.row, number);
        break;
      case 'item':
        draft.addItem(exported.row, number);
        break;
    }
    if (number % 1000 === 0) {
      options.onProgress?.(bytesRead);
    }
  }
  return { file, ...draft.finish() };
}

interface UserDraft {
  readonly oldUserId: string;
  readonly userId: string;
  readonly folders: Map<number, PlannedFolder>;
  readonly folderNames: Set<string>;
  readonly feedsByAddress: Map<string, PlannedFeed>;
  itemCount: number;
  unreadCount: number;
  starredCount: number;
  highestItemId: number;
  highestModifiedMicros: number;
}

class PlanDraft {
  readonly #users = new Map<string, UserDraft>();
  readonly #folderIds = new Set<number>();
  readonly #deletedFolderIds = new Set<number>();
  readonly #feedIds = new Set<number>();
  readonly #keptFeed = new Map<number, { userId: string; user: UserDraft; feed: PlannedFeed }>();
  readonly #notes: string[] = [];
  #feedsOfRows: FeedRow[] = [];
  #lastItemId = 0;
  #droppedItems = 0;

  constructor(private readonly userMap: ReadonlyMap<string, string>) {}

  addFolder(row: FolderRow, line: number): void {
    this.#rejectAfterItems(line);
    this.#rejectRepeated(this.#folderIds, row.id, 'folder', line);
    if (row.isDeleted) {
      this.#deletedFolderIds.add(row.id);
      return;
    }
    const user = this.#user(row.userId);
    const plain = cutAt(row.name.trim(), LONGEST_NAME) || `Folder ${row.id}`;
    let name = plain;
    for (let n = 2; user.folderNames.has(name); n++) {
      name = `${cutAt(plain, LONGEST_NAME - 10)} (${n})`;
    }
    if (name !== row.name) {
      this.#notes.push(`Folder ${row.id} of ${row.userId} is now called "${name}".`);
    }
    user.folderNames.add(name);
    user.folders.set(row.id, { id: row.id, name });
  }

  /** Deferred until all folders are known: the tables come in any order. */
  addFeed(row: FeedRow, line: number): void {
    this.#rejectAfterItems(line);
    this.#rejectRepeated(this.#feedIds, row.id, 'feed', line);
    this.#feedsOfRows.push(row);
  }

  addItem(row: ItemRow, line: number): void {
    this.#placeFeeds();
    if (row.id <= this.#lastItemId) {
      throw new UnreadableExport(
        line,
        `has item ${row.id} behind item ${this.#lastItemId}. Export the items with ORDER BY id.`,
      );
    }
    this.#lastItemId = row.id;
    const kept = this.#keptFeed.get(row.feedId);
    if (kept === undefined) {
      this.#droppedItems += 1;
      return;
    }
    const { user } = kept;
    user.itemCount += 1;
    user.unreadCount += row.unread ? 1 : 0;
    user.starredCount += row.starred ? 1 : 0;
    user.highestItemId = row.id;
    user.highestModifiedMicros = Math.max(user.highestModifiedMicros, row.lastModifiedMicros);
  }

  finish(): Omit<ImportPlan, 'file'> {
    this.#placeFeeds();
    if (this.#users.size === 0) {
      throw new ImportRefused('The export holds no folders and no feeds.');
    }
    this.#rejectMergedUsers();
    if (this.#droppedItems > 0) {
      this.#notes.push(`${this.#droppedItems} items are of feeds that are not taken over.`);
    }
    const users = [...this.#users.values()].map(
      ({ folders, feedsByAddress, folderNames: _names, ...user }) => ({
        ...user,
        folders: [...folders.values()],
        feeds: [...feedsByAddress.values()],
      }),
    );
    return { users, keptFeed: this.#keptFeed, notes: this.#notes };
  }

  #placeFeeds(): void {
    for (const row of this.#feedsOfRows) {
      this.#placeFeed(row);
    }
    this.#feedsOfRows = [];
  }

  #placeFeed(row: FeedRow): void {
    if (row.isDeleted || this.#deletedFolderIds.has(row.folderId)) {
      this.#notes.push(`Feed ${row.id} of ${row.userId} is deleted there and not taken over.`);
      return;
    }
    const feed = this.#readFeed(row);
    if (typeof feed === 'string') {
      this.#notes.push(`Feed ${row.id} of ${row.userId} is not taken over: ${feed}`);
      return;
    }
    const user = this.#user(row.userId);
    const same = user.feedsByAddress.get(feed.address);
    if (same !== undefined) {
      this.#notes.push(
        `Feed ${row.id} of ${row.userId} has the same address as feed ${same.id}, which takes its items.`,
      );
    } else {
      user.feedsByAddress.set(feed.address, feed);
    }
    this.#keptFeed.set(row.id, { userId: user.userId, user, feed: same ?? feed });
  }

  #readFeed(row: FeedRow): PlannedFeed | string {
    try {
      const url = withCredentials(row.url, row.basicAuthUser, row.basicAuthPassword);
      const { href: address, key, host } = feedAddress(url);
      const folderId = this.#user(row.userId).folders.has(row.folderId) ? row.folderId : null;
      return {
        id: row.id,
        url,
        address,
        urlKey: key,
        hostKey: host,
        title: cutAt(onOneLine(row.title ?? ''), LONGEST_TITLE) || null,
        link: webAddress(row.link, address),
        folderId,
        addedSeconds: row.addedSeconds,
        ordering: [1, 2].includes(row.ordering) ? row.ordering : 0,
        pinned: row.pinned,
        fullText: row.fullText,
        updateMode: row.updateMode === 1 ? 1 : 0,
        longestDocument: Math.max(0, Math.min(row.articlesPerUpdate, 2_000)),
      };
    } catch (error) {
      if (error instanceof DomainError) {
        return error.message;
      }
      throw error;
    }
  }

  #user(oldUserId: string): UserDraft {
    const known = this.#users.get(oldUserId);
    if (known !== undefined) {
      return known;
    }
    const user = {
      oldUserId,
      userId: this.userMap.get(oldUserId) ?? oldUserId,
      folders: new Map<number, PlannedFolder>(),
      folderNames: new Set<string>(),
      feedsByAddress: new Map<string, PlannedFeed>(),
      itemCount: 0,
      unreadCount: 0,
      starredCount: 0,
      highestItemId: 0,
      highestModifiedMicros: 0,
    };
    this.#users.set(oldUserId, user);
    return user;
  }

  #rejectAfterItems(line: number): void {
    if (this.#lastItemId > 0) {
      throw new UnreadableExport(line, 'comes too late: folders and feeds go before all items.');
    }
  }

  #rejectRepeated(known: Set<number>, id: number, what: string, line: number): void {
    if (known.has(id)) {
      throw new UnreadableExport(line, `has ${what} ${id} for the second time.`);
    }
    known.add(id);
  }

  #rejectMergedUsers(): void {
    const oldByNew = new Map<string, string>();
    for (const { oldUserId, userId } of this.#users.values()) {
      const other = oldByNew.get(userId);
      if (other !== undefined) {
        throw new ImportRefused(
          `Both "${other}" and "${oldUserId}" would become user "${userId}"; two users cannot be merged.`,
        );
      }
      oldByNew.set(userId, oldUserId);
    }
    for (const oldUserId of this.userMap.keys()) {
      if (!this.#users.has(oldUserId)) {
        throw new ImportRefused(`The export knows no user "${oldUserId}" of --user-map.`);
      }
    }
  }
}

function withCredentials(url: string, user: string | null, password: string | null): string {
  const parsed = user === null ? null : URL.parse(url.trim());
  if (parsed === null || user === null || parsed.username !== '') {
    return url;
  }
  parsed.username = encodeURIComponent(user);
  parsed.password = encodeURIComponent(password ?? '');
  return parsed.href;
}
