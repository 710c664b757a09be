import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { SourceEntity } from '../tables/source.entity.js';
import type { FeedAddress } from './feed-address.js';
import { SOURCE_COLUMNS, SOURCE_TABLES, type Source } from './sources.sql.js';

/** A source that is created in bulk. */
export interface NewSource {
  /** The normalised address. */
  readonly url: string;
  readonly urlKey: Buffer;
  readonly hostKey: string;
  /** Time until the first fetch. */
  readonly dueInSeconds: number;
  /** The website, until the first fetch. */
  readonly link?: string | null;
  /** Sealed headers; null is none. */
  readonly access?: Buffer | null;
  /** Of the client certificate among them. */
  readonly certificateEnds?: Date | null;
}

/** Sources: one per address, shared by everyone who subscribed to it. */
@Injectable()
export class SourcesRepository {
  constructor(private readonly database: Database) {}

  /** Reads by primary key. */
  async find(sourceId: number): Promise<Source | null> {
    const [source] = await this.database.query<Source>(
      `select ${SOURCE_COLUMNS} from ${SOURCE_TABLES} where source.id = $1`,
      [sourceId],
    );
    return source ?? null;
  }

  /** Uses source_url_key_unique. */
  async findByKey(key: FeedAddress['key']): Promise<Source | null> {
    const [source] = await this.database.query<Source>(
      `select ${SOURCE_COLUMNS} from ${SOURCE_TABLES} where source.url_key = $1`,
      [key],
    );
    return source ?? null;
  }

  /** Sources with headers of their own; reads every source. */
  async listWithAccess(): Promise<Pick<Source, 'id' | 'url' | 'access'>[]> {
    return this.database.query(
      'select id, url, access from source where access is not null order by id',
    );
  }

  /** @param sealed with null, these sources are fetched without */
  async setAccess(
    sourceIds: readonly number[],
    { access, certificateEnds }: Pick<FeedAddress, 'access' | 'certificateEnds'>,
  ): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(SourceEntity, { id: { $in: [...sourceIds] } }, { access, certificateEnds }),
    );
  }

  /**
   * Creates the source, due at once, or finds the one that was created concurrently, whose schedule is
   * unchanged.
   *
   * @returns its id
   */
  async create(address: FeedAddress): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [created] = await tx.query<{ id: number }>(
        `insert into source (url, url_key, access, item_rule, certificate_ends)
         values ($1, $2, $3, $4, $5)
         on conflict (url_key) do update set url_key = excluded.url_key
         returning id`,
        [address.href, address.key, address.access, address.itemRule, address.certificateEnds],
      );
      if (created === undefined) {
        throw new Error(`The source ${address.host} was neither created nor found`);
      }
      await tx.query(
        `insert into source_schedule (source_id, host_key, due_at) values ($1, $2, now())
         on conflict (source_id) do nothing`,
        [created.id, address.host],
      );
      return created.id;
    });
  }

  /**
   * Creates many sources, or finds existing ones, whose schedule is unchanged. Ordered by key, so that two
   * concurrent imports cannot deadlock.
   *
   * @returns ids by the key as hex digits
   */
  async createMany(sources: readonly NewSource[], tx: SqlRunner): Promise<Map<string, number>> {
    const created = await tx.query<{ id: number; urlKey: string }>(
      `with created as (
         insert into source (url, url_key, link, access, certificate_ends)
         select url, url_key, link, access, certificate_ends
           from unnest($1::text[], $2::bytea[], $5::text[], $6::bytea[], $7::timestamptz[])
                as given (url, url_key, link, access, certificate_ends)
          order by url_key
         on conflict (url_key) do update set url_key = excluded.url_key
         returning id, url_key
       ), scheduled as (
         insert into source_schedule (source_id, host_key, due_at)
         select created.id, given.host_key, now() + make_interval(secs => given.due_in_seconds)
           from created
           join unnest($2::bytea[], $3::text[], $4::float8[]) as given (url_key, host_key, due_in_seconds)
             using (url_key)
         on conflict (source_id) do nothing
       )
       select id, encode(url_key, 'hex') as "urlKey" from created`,
      [
        sources.map(({ url }) => url),
        sources.map(({ urlKey }) => urlKey),
        sources.map(({ hostKey }) => hostKey),
        sources.map(({ dueInSeconds }) => dueInSeconds),
        sources.map(({ link }) => link ?? null),
        sources.map(({ access }) => access ?? null),
        sources.map(({ certificateEnds }) => certificateEnds ?? null),
      ],
    );
    return new Map(created.map(({ id, urlKey }) => [urlKey, id]));
  }

  /**
   * Removes sources that neither a user nor a group follows, at most `limit`, with their rows in the same database; their
   * articles by `removeArticlesOfRemoved`. Spares sources whose items feeds have although their address was
   * changed, and sources of the last hour, since a source exists for a moment before its first
   * subscription; one that was never fetched has been due since it was created.
   *
   * @returns how many were removed
   */
  async removeUnfollowed(limit: number): Promise<number> {
    const rows = await this.database.query(
      `delete from source
        where id in (select id from source
                      where not exists (select 1 from follower where source_id = source.id)
                        and not exists (select 1 from group_folder_feed where source_id = source.id)
                        and not exists (select 1 from former_follower where source_id = source.id)
                        and coalesce(fetched_at, (select due_at from source_schedule
                                                   where source_id = source.id))
                            < now() - interval '1 hour'
                      limit $1)
          and not exists (select 1 from follower where source_id = source.id)
          and not exists (select 1 from former_follower where source_id = source.id)
          and not exists (select 1 from group_folder_feed where source_id = source.id)
       returning id`,
      [limit],
    );
    return rows.length;
  }

  /**
   * Removes the articles of removed sources, at most `limit` of them. Runs after the transaction that
   * removed them, so that no remaining source loses its articles.
   *
   * @returns how many sources
   */
  async removeArticlesOfRemoved(limit: number): Promise<number> {
    const removed = await this.database.query<{ id: number }>(
      'select source_id as id from removed_source order by source_id limit $1',
      [limit],
    );
    const ids = removed.map(({ id }) => id);
    if (ids.length > 0) {
      for (const table of ['article', 'article_tombstone', 'failed_document', 'removed_source']) {
        await this.database.query(`delete from ${table} where source_id = any($1::bigint[])`, [
          ids,
        ]);
      }
    }
    return ids.length;
  }

  /** Removes unused icons and icon addresses, and the state of hosts without sources after a day. */
  async removeOrphans(): Promise<void> {
    await this.database.query("delete from icon_place where due_at < now() - interval '30 days'");
    await this.database.query(
      'delete from icon where not exists (select 1 from source where source.icon_id = icon.id)',
    );
    await this.database.query(
      `delete from host_state
        where not exists (select 1 from source_schedule
                           where source_schedule.host_key = host_state.host_key)
          and greatest(next_slot_at, not_before) < now() - interval '1 day'`,
    );
  }
}
