import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';
import { selectList, type RowOf } from '../../database/select-list.js';

/** A user's position in a recording. */
export class PlaybackPositionEntity extends entityOf('playback_position', {
  readerId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  positionSeconds: p.integer(),
  durationSeconds: p.integer().strictNullable(),
  device: p.text(),
  listenedAt: p.datetime(),
}) {}

const ROW = selectList(PlaybackPositionEntity, 'p', [
  'itemId',
  'positionSeconds',
  'durationSeconds',
  'device',
]);
const LISTENED = `extract(epoch from p.listened_at)::bigint as "listenedSeconds"`;

export type PlaybackPosition = RowOf<typeof ROW> & {
  /** Unix seconds. */
  readonly listenedSeconds: number;
};

/** A position to keep. */
export type HeardPosition = RowOf<typeof ROW> & {
  /** Age of the position, on the caller's clock. */
  readonly secondsAgo: number;
};

/** Users' positions in recordings. Deleted with the reader. */
@Injectable()
export class PlaybackRepository {
  constructor(private readonly database: Database) {}

  /** Latest first, of items that the user still has. Uses the primary keys. */
  async list(readerId: number): Promise<PlaybackPosition[]> {
    return this.database.query<PlaybackPosition>(
      `select ${ROW}, ${LISTENED}
         from playback_position p
         join item on item.reader_id = $1 and item.id = p.item_id
         join subscription s on s.reader_id = $1 and s.id = item.subscription_id
                            and s.deleted_at is null
        where p.reader_id = $1
        order by p.listened_at desc, p.item_id`,
      [readerId],
    );
  }

  /**
   * Keeps a position unless a later one is known, and removes the oldest beyond a number.
   *
   * @param most positions that the user keeps
   * @returns the position that is known now; null without such an item of the user
   */
  async keep(
    readerId: number,
    heard: HeardPosition,
    most: number,
  ): Promise<PlaybackPosition | null> {
    const { itemId, positionSeconds, durationSeconds, device, secondsAgo } = heard;
    const [row] = await this.database.query<PlaybackPosition>(
      `with own as (
         select item.id
           from item join subscription s on s.reader_id = $1 and s.id = item.subscription_id
          where item.reader_id = $1 and item.id = $2 and s.deleted_at is null
       ), kept as (
         insert into playback_position as p
                (reader_id, item_id, position_seconds, duration_seconds, device, listened_at)
         select $1, own.id, $3, $4, $5, now() - make_interval(secs => $6::float8) from own
         -- Always an update, so that the row is returned even if another request has just added it.
         on conflict (reader_id, item_id) do update
            set (position_seconds, duration_seconds, device, listened_at) = (
              select later.position_seconds, coalesce(later.duration_seconds, p.duration_seconds),
                     later.device, later.listened_at
                from (values
                  (excluded.position_seconds, excluded.duration_seconds, excluded.device,
                   excluded.listened_at, 1),
                  (p.position_seconds, p.duration_seconds, p.device, p.listened_at, 2)
                ) later (position_seconds, duration_seconds, device, listened_at, preference)
               order by later.listened_at desc, later.preference limit 1)
         returning ${ROW}, ${LISTENED}
       ), trimmed as (
         -- Rows that another request is changing are left for the next time.
         delete from playback_position
          where reader_id = $1 and item_id in (
            select old.item_id
              from own join playback_position old on old.reader_id = $1 and old.item_id <> $2
             order by old.listened_at desc offset $7 - 1 for update of old skip locked)
       )
       select * from kept`,
      [readerId, itemId, positionSeconds, durationSeconds, device, secondsAgo, most],
    );
    return row ?? null;
  }
}
