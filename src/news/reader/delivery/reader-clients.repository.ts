import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Database, type SqlRunner } from '../../../database/database.js';

/** The programs of one user that are remembered; those not seen for longest are forgotten. */
const MOST_CLIENTS = 20;

const REMEMBERED_PAIRS = 10_000;

/** How long a program counts as seen without being noted again. */
const SEEN_SECONDS = 43_200;

/** What this process wrote about a program last. */
interface Note {
  readonly micros: number;
  readonly atSeconds: number;
}

/**
 * Up to which change each program of a user has synchronised.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class ReaderClientsRepository {
  /** By reader and client, so that a synchronisation that brings nothing new costs no statement. */
  readonly #notes = new Map<string, Note>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A program exists, whatever it knows. */
  async noteSeen(readerId: number, client: string): Promise<void> {
    await this.noteSynchronised(readerId, client, 0);
  }

  /**
   * A program has read everything up to a change. Writes only when it knows more than before, or was
   * not seen for some hours.
   *
   * @param untilMicros stamp of the newest change it knows
   */
  async noteSynchronised(readerId: number, client: string, untilMicros: number): Promise<void> {
    const pair = `${readerId} ${client}`;
    const atSeconds = this.clock.nowSeconds();
    const note = this.#notes.get(pair);
    if (note && note.micros >= untilMicros && atSeconds < note.atSeconds + SEEN_SECONDS) {
      return;
    }
    await this.database.query(
      `with forgotten as (
         delete from reader_client
          where reader_id = $1
            and client in (select client from reader_client where reader_id = $1 and client <> $2
                            order by seen_at desc offset ${MOST_CLIENTS - 1})
       )
       insert into reader_client (reader_id, client, synchronised_micros)
       select id, $2, $3::bigint from reader where id = $1
       on conflict (reader_id, client) do update
          set synchronised_micros = greatest(reader_client.synchronised_micros,
                                             excluded.synchronised_micros),
              seen_at = now()
        where reader_client.synchronised_micros < excluded.synchronised_micros
           or reader_client.seen_at < now() - interval '6 hours'`,
      [readerId, client, untilMicros],
    );
    if (this.#notes.size >= REMEMBERED_PAIRS) {
      this.#notes.clear();
    }
    this.#notes.set(pair, { micros: Math.max(untilMicros, note?.micros ?? 0), atSeconds });
  }

  /**
   * Up to which change every program has synchronised that was seen in the last `days`.
   *
   * @returns null for a user with one program or none, which has nobody to wait for
   */
  async knownToAll(runner: SqlRunner, readerId: number, days: number): Promise<number | null> {
    const [row] = await runner.query<{ clients: number; micros: number | null }>(
      `select count(*)::int as clients, min(synchronised_micros) as micros from reader_client
        where reader_id = $1 and seen_at > now() - make_interval(days => $2)`,
      [readerId, days],
    );
    return row === undefined || row.clients < 2 ? null : row.micros;
  }

  /** Forgets programs that were not seen for longer than `days`. */
  async forgetUnseen(days: number): Promise<void> {
    this.#notes.clear();
    await this.database.query(
      'delete from reader_client where seen_at < now() - make_interval(days => $1)',
      [days],
    );
  }
}
