import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';

/** The clients remembered per user; the least recently seen are forgotten. */
const MOST_CLIENTS = 20;

const MOST_NOTES = 10_000;

/** Time for which a client counts as seen without another statement. */
const SEEN_SECONDS = 43_200;

/** A client that has not asked for the next page for so long does not want it. */
export const PAGING_SECONDS = 30;

/** Of jobs, whose next attempt goes on: a client is between the pages of a first synchronisation. */
export class ClientIsPaging extends Error {
  constructor() {
    super('A client of the reader is between pages.');
  }
}

/** This process's last write about a client. */
interface Note {
  readonly micros: number;
  readonly atSeconds: number;
}

const IS_PAGING = prepared(
  'is-paging',
  'select 1 from reader_client where reader_id = $1 and paging_until > now()',
);

/**
 * How far each client of a user has synchronised.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class ReaderClientsRepository {
  /** Keyed by reader and client: a synchronisation without news costs no statement. */
  readonly #notes = new Map<string, Note>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records that the client exists, independent of its reading. */
  async noteSeen(readerId: number, client: string): Promise<void> {
    await this.noteSynchronised(readerId, client, 0);
  }

  /**
   * Records that a client has read everything up to a change. Writes only when it knows more than
   * before, or was not seen for some hours.
   *
   * @param untilMicros stamp of the newest change it knows, unix microseconds
   */
  async noteSynchronised(readerId: number, client: string, untilMicros: number): Promise<void> {
    const pair = pairOf(readerId, client);
    const atSeconds = this.clock.nowSeconds();
    const note = this.#notes.get(pair);
    if (note && note.micros >= untilMicros && atSeconds < note.atSeconds + SEEN_SECONDS) {
      return;
    }
    await this.database.query(
      `insert into reader_client (reader_id, client, synchronised_micros)
       select id, $2, $3::bigint from reader where id = $1
       on conflict (reader_id, client) do update
          set synchronised_micros = greatest(reader_client.synchronised_micros,
                                             excluded.synchronised_micros),
              seen_at = excluded.seen_at
        where reader_client.synchronised_micros < excluded.synchronised_micros
           or excluded.seen_at - reader_client.seen_at > interval '6 hours'`,
      [readerId, client, untilMicros],
    );
    if (note === undefined) {
      await this.#forgetOthers(readerId, client);
    }
    if (this.#notes.size >= MOST_NOTES) {
      this.#notes.clear();
    }
    this.#notes.set(pair, { micros: Math.max(untilMicros, note?.micros ?? 0), atSeconds });
  }

  /**
   * Notes that a client reads a list page by page, or that it has read it.
   *
   * @see isPaging
   */
  async notePaging(readerId: number, client: string, isPaging: boolean): Promise<void> {
    await this.database.query(
      isPaging
        ? `insert into reader_client (reader_id, client, synchronised_micros, paging_until)
           select id, $2, 0, now() + interval '${PAGING_SECONDS} seconds' from reader where id = $1
           on conflict (reader_id, client) do update set paging_until = excluded.paging_until`
        : `update reader_client set paging_until = null
            where reader_id = $1 and client = $2 and paging_until is not null`,
      [readerId, client],
    );
    // One that is known has its row already.
    if (isPaging && !this.#notes.has(pairOf(readerId, client))) {
      await this.#forgetOthers(readerId, client);
    }
  }

  /** A new client may exceed the limit: removes the least recently seen other ones. */
  async #forgetOthers(readerId: number, client: string): Promise<void> {
    await this.database.query(
      `delete from reader_client
        where reader_id = $1
          and client in (select client from reader_client where reader_id = $1 and client <> $2
                          order by seen_at desc offset ${MOST_CLIENTS - 1})`,
      [readerId, client],
    );
  }

  /** Whether a client of the reader has asked for a page lately, and more are left. */
  async isPaging(readerId: number, tx: SqlRunner): Promise<boolean> {
    return (await tx.query(IS_PAGING, [readerId])).length > 0;
  }

  /**
   * The stamp that every client seen within `days` has reached, unix microseconds.
   *
   * @returns null for a user with fewer than two clients: no other client to wait for
   */
  async knownToAll(readerId: number, days: number, tx: SqlRunner): Promise<number | null> {
    const [row] = await tx.query<{ clients: number; knownMicros: number | null }>(
      `select count(*)::int as clients, min(synchronised_micros) as "knownMicros" from reader_client
        where reader_id = $1 and seen_at > now() - make_interval(days => $2)`,
      [readerId, days],
    );
    return row === undefined || row.clients < 2 ? null : row.knownMicros;
  }

  /** Forgets clients that were not seen for `days`. */
  async forgetUnseen(days: number): Promise<void> {
    this.#notes.clear();
    await this.database.query(
      'delete from reader_client where seen_at < now() - make_interval(days => $1)',
      [days],
    );
  }
}

const pairOf = (readerId: number, client: string): string => `${readerId} ${client}`;
