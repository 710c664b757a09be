import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { PublishingHints } from '../feed-parser/parsed-feed.js';

/** A publisher's document as the last fetches left it. Times are unix seconds. */
export interface Source {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly link: string | null;
  readonly rev: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly bodyHash: Buffer | null;
  readonly fetchedSeconds: number | null;
  readonly errorCount: number;
  readonly lastError: string | null;
  readonly iconUrl: string | null;
  readonly iconCheckedSeconds: number | null;
  /** Where it is fetched from instead of `url`, since the publisher moved for good. */
  readonly effectiveUrl: string | null;
  /** A move that was announced, how often, and since when. */
  readonly movingTo: string | null;
  readonly movingSightings: number;
  readonly movingForSeconds: number | null;
  readonly goneSeconds: number | null;
  /** Answers in a row that sent no document because nothing had changed. */
  readonly notModifiedInRow: number;
  /** Of the last document that was read. */
  readonly publishingHints: PublishingHints | null;
  /** What was damaged or left out in the last document that was read. */
  readonly warning: string | null;
  /** Whether a hub tells us about changes. */
  readonly pushed: boolean;
}

export interface Icon {
  readonly mime: string;
  readonly bytes: Buffer;
}

const SOURCE_COLUMNS = `
  select source.id, source.url, source.title, source.link, source.rev, source.etag,
         source.last_modified as "lastModified", document.body_hash as "bodyHash",
         extract(epoch from source.fetched_at)::bigint as "fetchedSeconds",
         source.error_count as "errorCount", source.last_error as "lastError",
         source.icon_url as "iconUrl",
         extract(epoch from source.icon_checked_at)::bigint as "iconCheckedSeconds",
         source.effective_url as "effectiveUrl", source.moving_to as "movingTo",
         source.moving_sightings as "movingSightings",
         extract(epoch from now() - source.moving_since)::bigint as "movingForSeconds",
         extract(epoch from source.gone_at)::bigint as "goneSeconds",
         source.not_modified_in_row as "notModifiedInRow",
         source.publishing_hints as "publishingHints", source.warning,
         exists (select from websub_lease
                  where websub_lease.source_id = source.id and state = 'active'
                    and expires_at > now()) as pushed
    from source left join source_document document on document.source_id = source.id`;

/** A source that many are created of at once. */
export interface NewSource {
  /** The normalised address. */
  readonly url: string;
  readonly urlKey: Buffer;
  readonly hostKey: string;
  /** Until the first fetch. */
  readonly dueInSeconds: number;
}

/** Sources: one per address, shared by everybody who subscribed to it. */
@Injectable()
export class SourcesRepository {
  constructor(private readonly database: Database) {}

  async find(sourceId: number): Promise<Source | null> {
    const [source] = await this.database.query<Source>(`${SOURCE_COLUMNS} where source.id = $1`, [
      sourceId,
    ]);
    return source ?? null;
  }

  async findByKey(urlKey: Buffer): Promise<Source | null> {
    const [source] = await this.database.query<Source>(
      `${SOURCE_COLUMNS} where source.url_key = $1`,
      [urlKey],
    );
    return source ?? null;
  }

  /** Creates the source, or finds it when somebody else was faster. @returns its id */
  async create(source: {
    readonly url: string;
    readonly urlKey: Buffer;
    readonly hostKey: string;
  }): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [created] = await tx.query<{ id: number }>(
        `insert into source (url, url_key) values ($1, $2)
         on conflict (url_key) do update set url_key = excluded.url_key
         returning id`,
        [source.url, source.urlKey],
      );
      if (created === undefined) {
        throw new Error(`The source ${source.hostKey} was neither created nor found`);
      }
      await tx.query(
        `insert into source_schedule (source_id, host_key, due_at) values ($1, $2, now())
         on conflict (source_id) do nothing`,
        [created.id, source.hostKey],
      );
      return created.id;
    });
  }

  /**
   * Creates many sources at once, and finds those that exist, whose schedule is left alone.
   *
   * @returns ids by the hexadecimal form of the key
   */
  async createMany(tx: SqlRunner, sources: readonly NewSource[]): Promise<Map<string, number>> {
    // In one order everywhere, so that two imports never wait for each other in a circle.
    const rows = await tx.query<{ id: number; urlKey: string }>(
      `with created as (
         insert into source (url, url_key)
         select url, url_key from unnest($1::text[], $2::bytea[]) as given (url, url_key)
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
      ],
    );
    return new Map(rows.map(({ id, urlKey }) => [urlKey, id]));
  }

  /** Notes that the publisher was asked because an updater wanted it. */
  async noteAsked(sourceId: number): Promise<void> {
    await this.database.query('update source set asked_at = now() where id = $1', [sourceId]);
  }

  /** Removes sources nobody follows, with their articles. @returns how many; at most `limit` */
  async removeUnfollowed(limit: number): Promise<number> {
    // A source is created a moment before its first subscription, so the newest are spared. One that
    // was never fetched has been due since it was created.
    const rows = await this.database.query(
      `delete from source
        where id in (select id from source
                      where not exists (select from subscription where source_id = source.id)
                        and coalesce(fetched_at, (select due_at from source_schedule
                                                   where source_id = source.id))
                            < now() - interval '1 hour'
                      limit $1)
          and not exists (select from subscription where source_id = source.id)
       returning id`,
      [limit],
    );
    return rows.length;
  }

  /** Removes what sources left behind: pictures that no feed shows, hosts that nobody calls. */
  async removeRemains(): Promise<void> {
    await this.database.query(
      'delete from icon where not exists (select from source where source.icon_id = icon.id)',
    );
    await this.database.query(
      `delete from host_state
        where not exists (select from source_schedule
                           where source_schedule.host_key = host_state.host_key)
          and greatest(next_slot_at, not_before) < now() - interval '1 day'`,
    );
  }

  /** The source behind somebody's feed. Asks for no owner, and so is for administrators only. */
  async idOfFeed(feedId: number): Promise<number | null> {
    const [row] = await this.database.query<{ sourceId: number }>(
      'select source_id as "sourceId" from subscription where id = $1 and deleted_at is null',
      [feedId],
    );
    return row?.sourceId ?? null;
  }

  async followers(sourceId: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from subscription where source_id = $1 and deleted_at is null`,
      [sourceId],
    );
    return row?.count ?? 0;
  }

  /** Which source is behind the user's feed whose address has this MD5. */
  async idByAddressHash(readerId: number, addressHash: string): Promise<number | null> {
    const [row] = await this.database.query<{ sourceId: number }>(
      `select source_id as "sourceId" from subscription
        where reader_id = $1 and md5(url) = $2 and deleted_at is null limit 1`,
      [readerId, addressHash],
    );
    return row?.sourceId ?? null;
  }

  /** The picture of one of the user's feeds, by the MD5 of the feed's address. */
  async iconByAddressHash(readerId: number, addressHash: string): Promise<Icon | null> {
    const [icon] = await this.database.query<Icon>(
      `select icon.mime, icon.bytes
         from subscription s
         join source on source.id = s.source_id
         join icon on icon.id = source.icon_id
        where s.reader_id = $1 and md5(s.url) = $2 and s.deleted_at is null
        limit 1`,
      [readerId, addressHash],
    );
    return icon ?? null;
  }

  /** Keeps a picture once, however many sources show it. */
  async saveIcon(
    sourceId: number,
    icon: { readonly url: string; readonly mime: string; readonly bytes: Uint8Array } | null,
  ): Promise<void> {
    if (icon === null) {
      await this.database.query('update source set icon_checked_at = now() where id = $1', [
        sourceId,
      ]);
      return;
    }
    await this.database.query(
      `with kept as (
         insert into icon (content_hash, mime, bytes) values (sha256($2), $3, $2)
         on conflict (content_hash) do update set mime = excluded.mime
         returning id
       )
       update source set icon_id = (select id from kept), icon_url = $4, icon_checked_at = now()
        where id = $1`,
      [sourceId, Buffer.from(icon.bytes), icon.mime, icon.url],
    );
  }

  /** @returns publication times of the newest articles, newest first */
  async recentPubDates(
    sourceId: number,
    count: number,
    runner: SqlRunner = this.database,
  ): Promise<number[]> {
    const rows = await runner.query<{ seconds: number }>(
      `select pub_date_seconds as seconds from article
        where source_id = $1 order by id desc limit $2`,
      [sourceId, count],
    );
    return rows.map(({ seconds }) => seconds).sort((a, b) => b - a);
  }
}
