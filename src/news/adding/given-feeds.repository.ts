import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountDeletionHooks } from '../../common/ports/hooks.js';
import { Database, type SqlRunner, type Transaction } from '../../database/database.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';

/** A source whose items come from requests instead of fetches, for one user. */
export interface GivenSource {
  readonly urlKey: Buffer;
  /** Looks like the address of a feed to clients, but leads nowhere. */
  readonly url: string;
  readonly title: string;
  readonly userId: string;
}

/** A feed whose items come from requests, and its source. */
export interface GivenFeed {
  readonly feedId: number;
  readonly sourceId: number;
}

/** Feeds with sources that are not fetched, and that no other user can follow. */
@Injectable()
export class GivenFeedsRepository implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly deletionHooks: AccountDeletionHooks,
  ) {}

  onModuleInit(): void {
    // Registered after the hooks of constructors, one of which removes the feeds.
    this.deletionHooks.add((userId) => this.removeOfUser(userId));
  }

  /** The user's feed of the source with this key, unless it is marked for deletion. */
  async find(
    readerId: number,
    urlKey: Buffer,
    tx: SqlRunner = this.database,
  ): Promise<GivenFeed | null> {
    const [feed] = await tx.query<GivenFeed>(
      `select s.id as "feedId", source.id as "sourceId"
         from source join subscription s on s.source_id = source.id
        where source.url_key = $1 and s.reader_id = $2 and s.deleted_at is null`,
      [urlKey, readerId],
    );
    return feed ?? null;
  }

  /** Called under the lock of the reader, who has no such feed. @param folderId null is the root */
  async create(
    readerId: number,
    source: GivenSource,
    tx: Transaction,
    folderId: number | null = null,
  ): Promise<GivenFeed> {
    const sourceId = await this.#createSource(readerId, source, tx);
    const feed = { sourceId, folderId, url: source.url, title: null };
    await this.subscriptions.createMany(readerId, [feed], tx);
    const created = await this.find(readerId, source.urlKey, tx);
    if (created === null) {
      throw new Error(`The feed of source ${sourceId} was not created`);
    }
    return created;
  }

  /**
   * Creates the source again, without a schedule. Removes a former one, whose feed was deleted, with all
   * its articles, which would reappear in the new feed.
   *
   * @returns its id
   */
  async #createSource(
    readerId: number,
    { urlKey, url, title, userId }: GivenSource,
    tx: SqlRunner,
  ): Promise<number> {
    const former = await tx.query<{ id: number }>(
      'select id from source where url_key = $1 and given_to is not null',
      [urlKey],
    );
    for (const { id } of former) {
      await tx.query('delete from subscription where reader_id = $1 and source_id = $2', [
        readerId,
        id,
      ]);
      // The follower table references the source.
      await tx.query('delete from follower where reader_id = $1 and source_id = $2', [
        readerId,
        id,
      ]);
      await tx.query('delete from source where id = $1', [id]);
    }
    const [created] = await tx.query<{ id: number }>(
      `insert into source (url, url_key, title, given_to, fetched_at)
       values ($1, $2, $3, $4, now()) returning id`,
      [url, urlKey, title, userId],
    );
    if (created === undefined) {
      throw new Error(`The source of added items of ${userId} was not created`);
    }
    return created.id;
  }

  /** Called after the feeds are removed. Uses source_given_to_index; followed sources stay. */
  async removeOfUser(userId: string): Promise<void> {
    await this.database.query(
      `delete from source where given_to = $1
          and not exists (select 1 from follower where source_id = source.id)`,
      [userId],
    );
  }

  /** Ids of delivered items by the hashes of their guids; filtered ones included. */
  async itemIds(
    readerId: number,
    { feedId, sourceId }: GivenFeed,
    guidHashes: readonly string[],
  ): Promise<Map<string, number>> {
    const articles = await this.database.query<{ id: number; guidHash: string }>(
      `select id, encode(guid_hash, 'hex') as "guidHash" from article
        where source_id = $1
          and guid_hash in (select decode(hash, 'hex') from unnest($2::text[]) as wanted (hash))`,
      [sourceId, guidHashes],
    );
    const found = await this.database.query<{ id: number; guidHash: string }>(
      `select item.id, article.guid_hash as "guidHash"
         from unnest($3::bigint[], $4::text[]) as article (id, guid_hash)
         join item on item.reader_id = $1 and item.subscription_id = $2
                  and item.article_id = article.id`,
      [readerId, feedId, articles.map(({ id }) => id), articles.map(({ guidHash }) => guidHash)],
    );
    return new Map(found.map(({ id, guidHash }) => [guidHash, id]));
  }
}
