import { Injectable } from '@nestjs/common';
import { AccountHoldsOffer } from '../../common/ports/account-holds.js';
import { Database, type SqlRunner, type Transaction } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import type { NotTaken } from './not-taken.js';

type ArchiveKind = 'export' | 'import';

/** An export is sent, and an import begun, when it is `ready`; `done` is an import that was taken in. */
type ArchiveState = 'waiting' | 'working' | 'ready' | 'done' | 'failed';

/** An archive of an account, at most one of each kind. */
export class AccountArchiveEntity extends entityOf('account_archive', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  kind: p.text().$type<ArchiveKind>(),
  state: p.text().$type<ArchiveState>().default('waiting'),
  withFiles: p.boolean(),
  withSecrets: p.boolean(),
  /** Of the process that makes it. */
  attempt: p.uuid().strictNullable(),
  attempts: p.integer().default(0),
  /** When that process was last known to live. */
  touchedAt: p.datetime().defaultRaw('now()'),
  askedAt: p.datetime().defaultRaw('now()'),
  /** Null until it is ready; of an import, while it is taken in. */
  expiresAt: p.datetime().strictNullable(),
  /** So far. */
  entries: p.integer().default(0),
  sizeBytes: p.bigint('number').default(0),
  /** By an import. */
  leftOut: p.json().$type<readonly NotTaken[]>().defaultRaw("'[]'::jsonb"),
  /** Why it failed: a sentence. */
  problem: p.text().strictNullable(),
}) {}

/** A part of an archive; `place` counts from 0 without gaps. */
export class AccountArchivePieceEntity extends entityOf('account_archive_piece', {
  archiveId: p.bigint('number').primary(),
  place: p.integer().primary(),
  bytes: p.blob(),
}) {}

const COLUMNS = selectList(AccountArchiveEntity, 'archive', [
  'id',
  'userId',
  'kind',
  'state',
  'withFiles',
  'withSecrets',
  'attempts',
  'entries',
  'sizeBytes',
  'leftOut',
  'problem',
]);

const ARCHIVE = `${COLUMNS}, extract(epoch from archive.asked_at)::bigint as "askedSeconds",
  extract(epoch from archive.expires_at)::bigint as "expiresSeconds"`;

/** Times are unix seconds. */
export type Archive = RowOf<typeof COLUMNS> & {
  readonly askedSeconds: number;
  readonly expiresSeconds: number | null;
};

/** A run that makes an archive; a later one of the same archive ends it. */
export interface Attempt {
  readonly archiveId: number;
  readonly token: string;
}

const OF_ATTEMPT = `id = $1 and attempt = $2 and state = 'working'`;

/** A process that works on an archive tells it every 15 seconds; one that is silent for so long has ended. */
const IS_FORSAKEN = `state = 'working' and expires_at is null and touched_at < now() - interval '90 seconds'`;
/** Its job was stored with it, so that another one is needed only where an operator removed that. */
const IS_FORGOTTEN = `state = 'waiting' and touched_at < now() - interval '6 hours'`;

/** Archives of accounts and their pieces. Deleted with the account. */
@Injectable()
export class ArchivesRepository {
  constructor(
    private readonly database: Database,
    private readonly holds: AccountHoldsOffer,
  ) {}

  /**
   * Replaces the one before.
   *
   * @param kept of an import: its time, and when it is removed unless it is begun
   * @returns its id
   */
  async create(
    userId: string,
    { kind, withFiles, withSecrets }: Pick<Archive, 'kind' | 'withFiles' | 'withSecrets'>,
    tx: Transaction,
    kept: { readonly askedSeconds: number; readonly expiresAt: Date } | null = null,
  ): Promise<number> {
    await tx.query('delete from account_archive where user_id = $1 and kind = $2', [userId, kind]);
    const [row] = await tx.query<{ id: number }>(
      `insert into account_archive (user_id, kind, with_files, with_secrets, asked_at, expires_at)
       values ($1, $2, $3, $4, coalesce(to_timestamp($5::bigint), now()), $6) returning id`,
      [userId, kind, withFiles, withSecrets, kept?.askedSeconds ?? null, kept?.expiresAt ?? null],
    );
    return row?.id ?? 0;
  }

  /** Null without one, and after it has expired. */
  async find(userId: string, kind: ArchiveKind, now: Date): Promise<Archive | null> {
    const [archive] = await this.database.query<Archive>(
      `select ${ARCHIVE} from account_archive archive
        where user_id = $1 and kind = $2 and (expires_at is null or expires_at > $3)`,
      [userId, kind, now],
    );
    return archive ?? null;
  }

  async remove(userId: string, kind: ArchiveKind): Promise<boolean> {
    const rows = await this.database.query(
      'delete from account_archive where user_id = $1 and kind = $2 returning 1',
      [userId, kind],
    );
    return rows.length > 0;
  }

  /** Begins anew. @returns null if there is nothing to do, or another attempt is under way */
  async begin({ archiveId, token }: Attempt): Promise<Archive | null> {
    return this.database.transaction(async (tx) => {
      const [archive] = await tx.query<Archive>(
        `update account_archive archive
            set state = 'working', attempt = $2, attempts = attempts + 1, touched_at = now(),
                entries = 0, size_bytes = case kind when 'export' then 0 else size_bytes end
          where id = $1 and (state = 'waiting' or ${IS_FORSAKEN}) returning ${ARCHIVE}`,
        [archiveId, token],
      );
      if (archive?.kind === 'export') {
        await removePieces(archiveId, tx);
      }
      return archive ?? null;
    });
  }

  /** Has an import that is kept wait for a process. @returns false unless there is one that was not begun */
  async release(archiveId: number, tx: Transaction): Promise<boolean> {
    const rows = await tx.query(
      `update account_archive set state = 'waiting', attempts = 0, expires_at = null, touched_at = now()
        where id = $1 and kind = 'import' and state = 'ready' returning 1`,
      [archiveId],
    );
    return rows.length > 0;
  }

  /** Imports that were not begun. @param userId of this user alone */
  async keptImports(userId: string | null): Promise<Archive[]> {
    return this.database.query<Archive>(
      `select ${ARCHIVE} from account_archive archive
        where kind = 'import' and state = 'ready' and ($1::text is null or user_id = $1)`,
      [userId],
    );
  }

  /** Whether an import of the user is being taken in. */
  async isUnderWay(userId: string): Promise<boolean> {
    const rows = await this.database.query(
      `select 1 from account_archive
        where user_id = $1 and kind = 'import' and state in ('waiting', 'working') and expires_at is null`,
      [userId],
    );
    return rows.length > 0;
  }

  /** Of an import that was not begun. Does nothing if it changes it by less than an hour. */
  async moveExpiry(archiveId: number, expiresAt: Date): Promise<void> {
    await this.database.query(
      `update account_archive set expires_at = $2
        where id = $1 and state = 'ready' and expires_at < $2::timestamptz - interval '1 hour'`,
      [archiveId, expiresAt],
    );
  }

  /** Ends an import, whose pieces are not needed any more. */
  async end(attempt: Attempt, leftOut: readonly NotTaken[], expiresAt: Date): Promise<void> {
    await this.database.transaction(async (tx) => {
      const rows = await tx.query(
        `update account_archive set state = 'done', attempt = null, left_out = $3, expires_at = $4
          where ${OF_ATTEMPT} returning 1`,
        [attempt.archiveId, attempt.token, JSON.stringify(leftOut), expiresAt],
      );
      if (rows.length > 0) {
        await removePieces(attempt.archiveId, tx);
      }
    });
  }

  /** @returns false if another attempt has begun, or the archive is gone */
  async addPiece(
    { archiveId, token }: Attempt,
    place: number,
    bytes: Uint8Array,
    entries: number,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `with present as (
         update account_archive set touched_at = now(), entries = $5, size_bytes = size_bytes + octet_length($4::bytea)
          where ${OF_ATTEMPT} returning id)
       insert into account_archive_piece (archive_id, place, bytes)
       select id, $3::int, $4::bytea from present returning 1`,
      [archiveId, token, place, bytes, entries],
    );
    return rows.length > 0;
  }

  /** Tells that the attempt goes on. @returns false as `addPiece` */
  async touch({ archiveId, token }: Attempt): Promise<boolean> {
    const rows = await this.database.query(
      `update account_archive set touched_at = now() where ${OF_ATTEMPT} returning 1`,
      [archiveId, token],
    );
    return rows.length > 0;
  }

  /** Ends an attempt that failed: the archive waits for the next one. */
  async giveBack({ archiveId, token }: Attempt): Promise<void> {
    await this.database.query(
      `update account_archive set state = 'waiting', attempt = null, touched_at = now() where ${OF_ATTEMPT}`,
      [archiveId, token],
    );
  }

  /** @returns false as `addPiece` */
  async complete(attempt: Attempt, expiresAt: Date): Promise<boolean> {
    const rows = await this.database.query(
      `update account_archive set state = 'ready', attempt = null, expires_at = $3
        where ${OF_ATTEMPT} returning 1`,
      [attempt.archiveId, attempt.token, expiresAt],
    );
    return rows.length > 0;
  }

  /** Removes what was made. @param problem a sentence */
  async fail({ archiveId, token }: Attempt, problem: string, expiresAt: Date): Promise<void> {
    await this.database.query(
      `with failed as (
         update account_archive set state = 'failed', attempt = null, problem = $3, expires_at = $4
          where ${OF_ATTEMPT} returning id)
       delete from account_archive_piece where archive_id = (select id from failed)`,
      [archiveId, token, problem, expiresAt],
    );
  }

  /** Null after the last one, or when the archive was removed. */
  async piece(archiveId: number, place: number): Promise<Uint8Array | null> {
    const piece = await this.database.entities((em) =>
      em.findOne(AccountArchivePieceEntity, { archiveId, place }, { fields: ['bytes'] }),
    );
    return piece?.bytes ?? null;
  }

  /** Has archives wait again that a process has left, and those whose job is gone. @returns their ids */
  async takeForsaken(tx: SqlRunner): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `update account_archive set state = 'waiting', attempt = null, touched_at = now()
        where id in (select id from account_archive
                      where (${IS_FORSAKEN}) or (${IS_FORGOTTEN}) for update skip locked)
       returning id`,
    );
    return rows.map(({ id }) => id);
  }

  /** Those of held accounts stay, and are not offered either. */
  async removeExpired(now: Date): Promise<void> {
    await this.database.query(
      'delete from account_archive where expires_at <= $1 and user_id <> all($2::text[])',
      [now, await this.holds.required.heldUserIds()],
    );
  }
}

async function removePieces(archiveId: number, tx: SqlRunner): Promise<void> {
  await tx.query('delete from account_archive_piece where archive_id = $1', [archiveId]);
}
