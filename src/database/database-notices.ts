import { MikroORM } from '@mikro-orm/postgresql';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { SqlRunner } from './database.js';
import { closeConnection, openConnection } from './dedicated-connection.js';

/** Somebody who wants to hear what is announced on a channel. */
export interface NoticeListener {
  /** Called with the payload of each notice, in the order of the commits. */
  heard(payload: string): void;
  /** The connection was lost and is there again: notices may have been missed. */
  resumed(): void;
}

const RETRY_MS = 1000;
const QUERY_TIMEOUT_MS = 10_000;

/**
 * What transactions announce with `pg_notify`, to every process on the database. One connection per
 * process, opened at the start and again whenever it is lost. It is not one of the pool, so that
 * a busy pool does not hold up live updates.
 */
@Injectable()
export class DatabaseNotices
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly #logger = new Logger('Notices');
  readonly #listeners = new Map<string, Set<NoticeListener>>();
  /** Channels that the server was asked for; those that failed are asked for again. */
  readonly #channels = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #connection: Promise<Client> | undefined;

  constructor(
    private readonly orm: MikroORM,
    private readonly http: HttpAdapterHost,
  ) {}

  /**
   * Takes the connection before the pool has grown: where a pooler gives this process a limited
   * number, there would be none left.
   */
  async onApplicationBootstrap(): Promise<void> {
    // A command of the command line starts no web server, and listens to nothing.
    if (this.http?.httpAdapter) {
      this.#connection ??= this.#connect();
      await this.#connection;
    }
  }

  /**
   * Heard when the transaction commits, and never if it does not.
   *
   * @param payload short: the server takes no more than 8000 bytes
   */
  async announce(channel: string, payload: string, tx: SqlRunner): Promise<void> {
    await tx.query('select pg_notify($1, $2)', [channel, payload]);
  }

  /**
   * Hears everything that is committed after this resolves. May be called whenever something is
   * about to be waited for: a listener that is there already hears each notice once all the same,
   * and what failed is tried again.
   *
   * @param channel a lower-case name with underscores
   * @param listener the same object each time
   * @throws Error when the database cannot be reached
   */
  async listen(channel: string, listener: NoticeListener): Promise<void> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    const asked = this.#channels.get(channel) ?? this.#ask(channel);
    this.#channels.set(channel, asked);
    await asked;
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  /** Later than above: requests that are told to end may still begin to listen. */
  async onApplicationShutdown(): Promise<void> {
    const client = await this.#connection?.catch(() => undefined);
    await (client && closeConnection(client));
  }

  async #ask(channel: string): Promise<void> {
    try {
      this.#connection ??= this.#connect();
      const client = await this.#connection;
      await client.query(`listen ${channel}`);
    } catch (error) {
      this.#channels.delete(channel);
      throw error;
    }
  }

  async #connect(): Promise<Client> {
    try {
      return await this.#open();
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  async #open(): Promise<Client> {
    const client = await openConnection(this.orm, {
      application_name: 'gatefold notices',
      query_timeout: QUERY_TIMEOUT_MS,
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of this.#listeners.get(channel) ?? []) {
        listener.heard(payload);
      }
    });
    try {
      for (const channel of this.#listeners.keys()) {
        await client.query(`listen ${channel}`);
      }
    } catch (error) {
      await closeConnection(client);
      throw error;
    }
    client.once('end', () => this.#recover());
    return client;
  }

  #recover(): void {
    if (this.#stop.signal.aborted) {
      return;
    }
    this.#logger.warn('The connection for notices was lost; opening it again.');
    this.#connection = this.#openAgain();
    this.#connection.then(
      () => this.#tellAll(),
      () => {},
    );
  }

  /** @throws only when the service stops */
  async #openAgain(): Promise<Client> {
    for (;;) {
      this.#stop.signal.throwIfAborted();
      try {
        return await this.#open();
      } catch {
        await delay(RETRY_MS, undefined, { signal: this.#stop.signal });
      }
    }
  }

  #tellAll(): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) {
        listener.resumed();
      }
    }
  }
}
