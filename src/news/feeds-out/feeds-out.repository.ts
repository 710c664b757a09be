import { Injectable } from '@nestjs/common';
import type { MergedItemUsers, MergedPair } from '../../common/ports/merged-items.js';
import { countUpTo } from '../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { FeedOutEntity } from './feed-out.entity.js';
import type { ListKind } from './list-kinds.js';

const ROW = `${selectList(FeedOutEntity, 'feed_out', [
  'id',
  'userId',
  'kind',
  'ofId',
  'sealed',
  'fullText',
  'withNotes',
])}, extract(epoch from created_at)::bigint as "createdSeconds",
     (extract(epoch from changed_at) * 1000000)::bigint as "changedMicros"`;

/** A list that is published. */
export type FeedOut = Readonly<
  Pick<FeedOutEntity, 'id' | 'userId' | 'kind' | 'ofId' | 'sealed' | 'fullText' | 'withNotes'>
> & { readonly createdSeconds: number; readonly changedMicros: number };

/** What is published: a list of the user's, or one article. */
export interface PublishedList {
  readonly kind: ListKind;
  /** 0 for the starred ones. */
  readonly ofId: number;
}

/** How it is shown. */
export interface Showing {
  readonly fullText: boolean;
  readonly withNotes: boolean;
}

/** A token that was made, for the row. */
export interface StoredToken {
  readonly hash: Buffer;
  readonly sealed: Buffer;
}

const SEALED = selectList(FeedOutEntity, 'feed_out', ['id', 'userId', 'sealed']);

/** Published lists. */
@Injectable()
export class FeedsOutRepository implements MergedItemUsers {
  constructor(private readonly database: Database) {}

  async byToken(hash: Buffer): Promise<FeedOut | null> {
    const [row] = await this.database.query<FeedOut>(
      `select ${ROW} from feed_out where token_hash = $1`,
      [hash],
    );
    return row ?? null;
  }

  /** Newest first. */
  async list(userId: string): Promise<FeedOut[]> {
    return this.database.query<FeedOut>(
      `select ${ROW} from feed_out where user_id = $1 order by id desc`,
      [userId],
    );
  }

  async one(userId: string, id: number, tx: SqlRunner = this.database): Promise<FeedOut | null> {
    const [row] = await tx.query<FeedOut>(
      `select ${ROW} from feed_out where user_id = $1 and id = $2`,
      [userId, id],
    );
    return row ?? null;
  }

  async idOf(userId: string, { kind, ofId }: PublishedList, tx: SqlRunner): Promise<number | null> {
    const [row] = await tx.query<{ id: number }>(
      'select id from feed_out where user_id = $1 and kind = $2 and of_id = $3',
      [userId, kind, ofId],
    );
    return row?.id ?? null;
  }

  /** Counts no further than `most`. */
  async count(userId: string, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'feed_out where user_id = $1', [userId], most);
  }

  /** @returns its id */
  async create(
    userId: string,
    { kind, ofId, fullText, withNotes }: PublishedList & Showing,
    { hash, sealed }: StoredToken,
    tx: SqlRunner,
  ): Promise<number> {
    const [row] = await tx.query<{ id: number }>(
      `insert into feed_out (user_id, kind, of_id, full_text, with_notes, token_hash, sealed)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [userId, kind, ofId, fullText, withNotes, hash, sealed],
    );
    return row?.id ?? 0;
  }

  async change(id: number, { fullText, withNotes }: Showing, tx: SqlRunner): Promise<void> {
    await tx.query(
      `update feed_out set full_text = $2, with_notes = $3, changed_at = clock_timestamp()
        where id = $1`,
      [id, fullText, withNotes],
    );
  }

  /** A published article is that of the item that stays, unless that is published already. */
  async merged(
    { userId }: { readonly userId: string },
    pairs: readonly MergedPair[],
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `update feed_out set of_id = its.into_id
         from (select distinct on (pair.into_id) own.id, pair.into_id
                 from unnest($2::bigint[], $3::bigint[]) as pair (item_id, into_id)
                 join feed_out own on own.user_id = $1 and own.kind = 'item' and own.of_id = pair.item_id
                where not exists (select 1 from feed_out other
                                   where other.user_id = $1 and other.kind = 'item'
                                     and other.of_id = pair.into_id)
                order by pair.into_id, own.id) its
        where feed_out.id = its.id`,
      [userId, pairs.map(({ itemId }) => itemId), pairs.map(({ intoItemId }) => intoItemId)],
    );
  }

  async setToken(id: number, { hash, sealed }: StoredToken, tx: SqlRunner): Promise<void> {
    await tx.query(
      `update feed_out set token_hash = $2, sealed = $3, changed_at = clock_timestamp()
        where id = $1`,
      [id, hash, sealed],
    );
  }

  async remove(id: number, tx: SqlRunner = this.database): Promise<void> {
    await tx.query('delete from feed_out where id = $1', [id]);
  }

  async listSealed(): Promise<RowOf<typeof SEALED>[]> {
    return this.database.query<RowOf<typeof SEALED>>(`select ${SEALED} from feed_out order by id`);
  }
}
