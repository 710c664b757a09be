import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** The programs of one user that are remembered; those not seen for longest are forgotten. */
const MOST_CLIENTS = 20;

const REMEMBERED_PAIRS = 10_000;

/**
 * Up to which change each program of a user has synchronised.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class ReaderClientsRepository {
  /** Pairs of reader and client that this process has noted, so that most changes need no write. */
  readonly #noted = new Set<string>();

  constructor(private readonly database: Database) {}

  /** A program exists, whatever it knows. */
  async noteSeen(readerId: number, client: string): Promise<void> {
    const pair = `${readerId} ${client}`;
    if (this.#noted.has(pair)) {
      return;
    }
    await this.noteSynchronised(readerId, client, 0);
    if (this.#noted.size >= REMEMBERED_PAIRS) {
      this.#noted.clear();
    }
    this.#noted.add(pair);
  }

  /**
   * A program has read everything up to a change. Writes only when it knows more than before, or was
   * not seen for a day.
   *
   * @param untilMicros stamp of the newest change it knows
   */
  async noteSynchronised(readerId: number, client: string, untilMicros: number): Promise<void> {
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
           or reader_client.seen_at < now() - interval '1 day'`,
      [readerId, client, untilMicros],
    );
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
    this.#noted.clear();
    await this.database.query(
      'delete from reader_client where seen_at < now() - make_interval(days => $1)',
      [days],
    );
  }
}
