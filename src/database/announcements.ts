import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client, escapeIdentifier } from 'pg';
import type { SqlRunner } from './database.js';

/** Hears what was announced; null when some announcements may have been missed. */
export type Hearer = (text: string | null) => void;

/**
 * Tells all processes on this database that something has changed, so that whoever waits for it
 * looks at once. Only a hint: what counts is what is in the tables.
 */
@Injectable()
export class Announcements implements OnApplicationShutdown {
  readonly #hearers = new Map<string, Set<Hearer>>();
  #listening: Promise<void> | undefined;
  #client: Client | undefined;

  constructor(private readonly orm: MikroORM) {}

  /**
   * Heard when the transaction commits, and never if it does not.
   *
   * @param text short: the server takes no more than 8000 bytes
   */
  async announce(channel: string, text: string, tx: SqlRunner): Promise<void> {
    await tx.query('select pg_notify($1, $2)', [channel, text]);
  }

  /** Before the first call of `listening`, which is what it relies on. @returns ends it */
  hear(channel: string, hearer: Hearer): () => void {
    const hearers = this.#hearers.get(channel) ?? new Set();
    this.#hearers.set(channel, hearers.add(hearer));
    return () => void hearers.delete(hearer);
  }

  /** Returns when everything announced from now on will be heard. One connection per process. */
  async listening(): Promise<void> {
    this.#listening ??= this.#listen();
    await this.#listening;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#listening?.catch(() => {});
    await this.#client?.end();
  }

  async #listen(): Promise<void> {
    const pool = await this.orm.em.getConnection().getNativeClient();
    // pg hides passwords and keys from being copied along by accident; here they are meant.
    const { password, ssl } = pool.options;
    const client = new Client({ ...pool.options, password, ssl, keepAlive: true });
    // An event of that name that nobody listens for would end the process.
    client.on('error', () => {});
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ channel, payload = '' }) => this.#tell(channel, payload));
    try {
      await client.connect();
      for (const channel of this.#hearers.keys()) {
        await client.query(`listen ${escapeIdentifier(channel)}`);
      }
      this.#client = client;
    } catch (error) {
      this.#listening = undefined;
      client.end().catch(() => {});
      throw error;
    }
  }

  #tell(channel: string, text: string | null): void {
    for (const hearer of this.#hearers.get(channel) ?? []) {
      hearer(text);
    }
  }

  /** Whoever waits looks again, and by that listens again. */
  #lose(client: Client): void {
    if (this.#client !== client) {
      return;
    }
    this.#client = undefined;
    this.#listening = undefined;
    for (const channel of this.#hearers.keys()) {
      this.#tell(channel, null);
    }
  }
}
