import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { NoticeChannelEntity, PushKeyEntity } from './notice.entities.js';

const COLUMNS = selectList(NoticeChannelEntity, 'channel', [
  'id',
  'kind',
  'form',
  'name',
  'enabled',
  'privateFeeds',
  'target',
  'targetKey',
  'sealed',
  'lastError',
  'offReason',
]);

const CHANNEL = `${COLUMNS},
  extract(epoch from channel.failing_since)::bigint as "failingSinceSeconds"`;

export type Channel = RowOf<typeof COLUMNS> & {
  /** When the first of its failures in a row was; null while it works. */
  readonly failingSinceSeconds: number | null;
};

export type NewChannel = Omit<Channel, 'id' | 'failingSinceSeconds' | 'lastError' | 'offReason'>;

/** Reader, id. */
export const FIND_CHANNEL = prepared(
  'notice-channel',
  `select ${CHANNEL} from notice_channel channel where reader_id = $1 and id = $2`,
);
const EXISTING = prepared(
  'existing-channels',
  'select id from notice_channel where reader_id = $1 and id = any($2::bigint[])',
);

const MOST_FAILING = 1000;

const PUSH_KEY = selectList(PushKeyEntity, 'key', ['publicKey', 'sealed']);

/** The ways by which readers are told, and the keys of Web Push. */
@Injectable()
export class ChannelsRepository {
  constructor(private readonly database: Database) {}

  /** @returns those of the ids that the reader has, on or off */
  async existing(
    readerId: number,
    ids: readonly number[],
    tx: SqlRunner = this.database,
  ): Promise<ReadonlySet<number>> {
    const rows = await tx.query<{ id: number }>(EXISTING, [readerId, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** In the order in which they were added. */
  async list(readerId: number, tx: SqlRunner = this.database): Promise<Channel[]> {
    return tx.query<Channel>(
      `select ${CHANNEL} from notice_channel channel where reader_id = $1 order by id`,
      [readerId],
    );
  }

  async find(readerId: number, id: number, tx: SqlRunner = this.database): Promise<Channel | null> {
    const [channel] = await tx.query<Channel>(FIND_CHANNEL, [readerId, id]);
    return channel ?? null;
  }

  /** All channels of all readers, to look for what the secret key cannot open. */
  async listSealed(): Promise<
    { readerId: number; userId: string; id: number; name: string; sealed: Buffer }[]
  > {
    return this.database.query(
      `select channel.reader_id as "readerId", reader.user_id as "userId", channel.id, channel.name,
              channel.sealed
         from notice_channel channel join reader on reader.id = channel.reader_id
        order by reader.user_id, channel.id`,
    );
  }

  /** Channels of all readers that fail or were switched off, those that fail longest first. */
  async failing(): Promise<(Channel & { readonly userId: string })[]> {
    return this.database.query(
      `select ${CHANNEL}, reader.user_id as "userId"
         from notice_channel channel join reader on reader.id = channel.reader_id
        where channel.failing_since is not null or channel.off_reason is not null
        order by channel.failing_since, channel.id limit ${MOST_FAILING}`,
    );
  }

  /** Adds a channel, or replaces the one with this id or with the same address. @returns its id */
  async save(
    { id: readerId }: LockedReader,
    id: number | null,
    channel: NewChannel,
    tx: Transaction,
  ): Promise<number> {
    const { kind, form, name, enabled, privateFeeds, target, targetKey, sealed } = channel;
    const values = [readerId, kind, form, name, enabled, privateFeeds, target, targetKey, sealed];
    const [row] = await tx.query<{ id: number }>(
      id === null
        ? `insert into notice_channel
                  (reader_id, kind, form, name, enabled, private_feeds, target, target_key, sealed)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (reader_id, target_key) do update
              set form = excluded.form, name = excluded.name, enabled = excluded.enabled,
                  private_feeds = excluded.private_feeds, target = excluded.target,
                  sealed = excluded.sealed, failing_since = null, last_error = null, off_reason = null
           returning id`
        : `update notice_channel
              set kind = $2, form = $3, name = $4, enabled = $5, private_feeds = $6, target = $7,
                  target_key = $8, sealed = $9, failing_since = null, last_error = null,
                  off_reason = null
            where reader_id = $1 and id = $10 returning id`,
      id === null ? values : [...values, id],
    );
    return row?.id ?? 0;
  }

  /** @param targetKey if given, only while it leads there */
  async remove(
    readerId: number,
    id: number,
    targetKey: Uint8Array | null = null,
    tx: SqlRunner = this.database,
  ): Promise<boolean> {
    const rows = await tx.query(
      `delete from notice_channel
        where reader_id = $1 and id = $2 and ($3::bytea is null or target_key = $3)
       returning id`,
      [readerId, id, targetKey],
    );
    return rows.length > 0;
  }

  async noteSuccess(readerId: number, id: number): Promise<void> {
    await this.database.query(
      `update notice_channel set failing_since = null, last_error = null
        where reader_id = $1 and id = $2 and failing_since is not null`,
      [readerId, id],
    );
  }

  /**
   * @param offReason switches the channel off, if it was on
   * @returns whether it did
   */
  async noteFailure(
    readerId: number,
    id: number,
    error: string,
    now: Date,
    offReason: string | null,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `update notice_channel
          set failing_since = coalesce(failing_since, $4), last_error = $3,
              off_reason = coalesce($5, off_reason), enabled = enabled and $5::text is null
        where reader_id = $1 and id = $2 and enabled
       returning id`,
      [readerId, id, error, now, offReason],
    );
    return rows.length > 0 && offReason !== null;
  }

  /** Null before the first use of Web Push. */
  async pushKey(): Promise<RowOf<typeof PUSH_KEY> | null> {
    const [key] = await this.database.query<RowOf<typeof PUSH_KEY>>(
      `select ${PUSH_KEY} from push_key key`,
    );
    return key ?? null;
  }

  /** Keeps the present ones: processes that begin together agree on one pair. */
  async savePushKey(publicKey: string, sealed: Buffer): Promise<void> {
    await this.database.query(
      "insert into push_key (name, public_key, sealed) values ('vapid', $1, $2) on conflict do nothing",
      [publicKey, sealed],
    );
  }

  async removePushKey(): Promise<void> {
    await this.database.query('delete from push_key');
  }
}
