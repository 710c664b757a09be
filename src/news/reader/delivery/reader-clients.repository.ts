import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import {
  countClients,
  forgetLeastSeen,
  forgetUnseenClients,
  noteSynchronised,
} from './reader-clients.sql.js';

const MOST_NOTES = 10_000;

/** How long a client counts as seen without another statement. */
const SEEN_SECONDS = 43_200;

/** What this process last wrote about a client. */
interface Note {
  readonly micros: number;
  readonly atSeconds: number;
}

/**
 * How far each client of a user has synchronised.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class ReaderClientsRepository {
  /** By reader and client: a synchronisation without news costs no statement. */
  readonly #notes = new Map<string, Note>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records that the client exists, whatever it has read. */
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
    const pair = `${readerId} ${client}`;
    const atSeconds = this.clock.nowSeconds();
    const note = this.#notes.get(pair);
    if (note && note.micros >= untilMicros && atSeconds < note.atSeconds + SEEN_SECONDS) {
      return;
    }
    await noteSynchronised(this.database, readerId, client, untilMicros);
    if (note === undefined) {
      // It may be new, and one too many.
      await forgetLeastSeen(this.database, readerId, client);
    }
    if (this.#notes.size >= MOST_NOTES) {
      this.#notes.clear();
    }
    this.#notes.set(pair, { micros: Math.max(untilMicros, note?.micros ?? 0), atSeconds });
  }

  /**
   * The stamp that every client seen within `days` has reached, unix microseconds.
   *
   * @returns null for a user with fewer than two clients: there is no other one to wait for
   */
  async knownToAll(runner: SqlRunner, readerId: number, days: number): Promise<number | null> {
    const { clients, knownMicros } = await countClients(runner, readerId, days);
    return clients < 2 ? null : knownMicros;
  }

  /** Forgets clients that were not seen for `days`. */
  async forgetUnseen(days: number): Promise<void> {
    this.#notes.clear();
    await forgetUnseenClients(this.database, days);
  }
}
