import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Database } from '../../database/database.js';
import { OpmlService } from '../opml/opml.service.js';
import type { InvalidOpmlFeed } from '../opml/read-opml.js';
import {
  changedAccess,
  FeedAccessBox,
  NO_ACCESS,
  type FeedAccess,
  type PartialAccess,
} from '../sources/access/feed-access.service.js';
import { typedAddress, type FeedAddress } from '../sources/feed-address.js';
import { SourceFinder } from '../sources/finding/source-finder.service.js';
import { shownAddress, withoutCredentials } from '../sources/shown-address.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import {
  AddressHasCredentials,
  GroupFeedExists,
  GroupFeedNotFound,
  NoCredentials,
} from './group-folders.errors.js';
import { GroupFoldersRepository, type GroupFeed } from './group-folders.repository.js';
import { GroupFoldersService, type Editor } from './group-folders.service.js';

interface ImportedFeeds {
  readonly added: number;
  readonly alreadyThere: number;
  readonly refused: readonly Pick<InvalidOpmlFeed, 'url' | 'reason'>[];
}

/** Feeds of groups' folders. Their credentials are the folder's: sealed with the source, and shown to nobody. */
@Injectable()
export class GroupFeedsService {
  constructor(
    private readonly folders: GroupFoldersService,
    private readonly rows: GroupFoldersRepository,
    private readonly finder: SourceFinder,
    private readonly sources: SourcesRepository,
    private readonly accessBox: FeedAccessBox,
    private readonly opml: OpmlService,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Adds the feed at an address, or that a web page there links to. Credentials in the address become those of the
   * folder.
   *
   * @throws GroupFolderNotFound, GroupFeedExists, LimitReached, FeedUnreadable
   */
  async add(
    editor: Editor,
    folderId: number,
    wanted: { readonly url: string; readonly isMandatory: boolean; readonly access: PartialAccess },
  ): Promise<void> {
    await this.folders.find(editor, folderId);
    const { address, access } = separated(typedAddress(wanted.url), wanted.access);
    // A feed that is there keeps its credentials: new ones are entered by changing it.
    const present = await this.rows.feeds([folderId]);
    const keeps = present.map(({ sourceId }) => sourceId);
    const owner = { name: ownerOf(folderId), keeps };
    const found = await this.finder.find(address, access, 'automatic', owner);
    const url = withoutCredentials(found.url);
    const feed = { sourceId: found.sourceId, url, isMandatory: wanted.isMandatory };
    await this.folders.change(editor, folderId, `added ${shownAddress(url)}`, async (tx) => {
      const most = this.config.limits['feeds-per-group-folder'];
      const count = await this.rows.countFeeds(folderId, most, tx);
      assertBelowLimit(this.config, 'feeds-per-group-folder', count);
      const added = await this.rows.addFeeds(folderId, [feed], tx);
      if (added.length === 0) {
        throw new GroupFeedExists();
      }
    });
  }

  /**
   * Adds the feeds of an OPML file, which are fetched later.
   *
   * @throws GroupFolderNotFound, LimitReached, UnreadableOpml
   */
  async import(
    editor: Editor,
    folderId: number,
    file: Uint8Array,
    isMandatory: boolean,
  ): Promise<ImportedFeeds> {
    await this.folders.find(editor, folderId);
    const { feeds, repeated, invalid } = await this.opml.feedsIn(file);
    const open = feeds.filter(
      ({ url, access }) => withoutCredentials(url) === url && (access ?? null) === null,
    );
    // Before sources are made of them.
    assertBelowLimit(this.config, 'feeds-per-group-folder', 0, open.length);
    const refused = feeds
      .filter((feed) => !open.includes(feed))
      .map(({ url }) => ({ url: shownAddress(url), reason: new AddressHasCredentials().message }));
    const ids = await this.database.transaction((tx) => this.sources.createMany(open, tx));
    const wanted = open.flatMap(({ url, urlKey }) => {
      const sourceId = ids.get(urlKey.toString('hex'));
      return sourceId === undefined ? [] : [{ sourceId, url, isMandatory }];
    });
    const what = `added ${wanted.length} feeds of a list`;
    const added = await this.folders.change(editor, folderId, what, async (tx) => {
      const most = this.config.limits['feeds-per-group-folder'];
      const sourceIds = await this.rows.addFeeds(folderId, wanted, tx);
      const count = await this.rows.countFeeds(folderId, most + 1, tx);
      assertBelowLimit(this.config, 'feeds-per-group-folder', count, 0);
      return sourceIds.length;
    });
    const shownInvalid = invalid.map(({ url, reason }) => ({ url: shownAddress(url), reason }));
    return {
      added,
      alreadyThere: repeated + wanted.length - added,
      refused: [...shownInvalid, ...refused],
    };
  }

  /**
   * @param access new credentials, all together, which are tried first
   * @throws GroupFolderNotFound, GroupFeedNotFound, NoCredentials, FeedUnreadable
   */
  async edit(
    editor: Editor,
    folderId: number,
    feedId: number,
    {
      isMandatory,
      access,
    }: { readonly isMandatory?: boolean | undefined; readonly access?: PartialAccess | undefined },
  ): Promise<void> {
    const feed = await this.#find(editor, folderId, feedId);
    if (isMandatory !== undefined) {
      const what = `${shownAddress(feed.url)} is ${isMandatory ? 'mandatory' : 'recommended'}`;
      await this.folders.change(editor, folderId, what, async (tx) => {
        const isThere = await this.rows.setMandatory(folderId, feedId, isMandatory, tx);
        GroupFeedNotFound.unless(isThere, feedId);
      });
    }
    if (access !== undefined) {
      await this.#setAccess(editor, folderId, feed, access);
    }
  }

  async #setAccess(
    editor: Editor,
    folderId: number,
    feed: GroupFeed,
    access: PartialAccess,
  ): Promise<void> {
    if (feed.access === null) {
      throw new NoCredentials();
    }
    const { address, access: wanted } = separated(typedAddress(feed.url), access);
    if (this.accessBox.seal(address, wanted).access === null) {
      throw new NoCredentials();
    }
    await this.finder.find(address, wanted, 'automatic', { name: ownerOf(folderId), keeps: [] });
    const what = `other credentials for ${shownAddress(feed.url)}`;
    await this.folders.change(editor, folderId, what, async () => {});
  }

  /** Members lose it as if they had left. @throws GroupFolderNotFound, GroupFeedNotFound */
  async remove(editor: Editor, folderId: number, feedId: number): Promise<void> {
    const feed = await this.#find(editor, folderId, feedId);
    const what = `removed ${shownAddress(feed.url)}`;
    await this.folders.change(editor, folderId, what, async (tx) => {
      GroupFeedNotFound.unless(await this.rows.removeFeed(folderId, feedId, tx), feedId);
    });
  }

  async #find(editor: Editor, folderId: number, feedId: number): Promise<GroupFeed> {
    await this.folders.find(editor, folderId);
    const feeds = await this.rows.feeds([folderId]);
    return GroupFeedNotFound.unless(
      feeds.find(({ id }) => id === feedId),
      feedId,
    );
  }
}

/** The source of a feed with credentials is the folder's alone. */
function ownerOf(folderId: number): string {
  return `group-folder ${folderId}`;
}

/** User name and password of an address become headers. */
function separated(
  address: FeedAddress,
  access: PartialAccess,
): { readonly address: FeedAddress; readonly access: FeedAccess } {
  const { username, password } = new URL(address.href);
  const shown = typedAddress(withoutCredentials(address.given));
  const inAddress =
    username === '' && password === ''
      ? {}
      : { userName: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { address: shown, access: changedAccess(changedAccess(NO_ACCESS, inAddress), access) };
}
