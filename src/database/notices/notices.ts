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
import { closeConnection, openConnection } from '../connections/dedicated-connection.js';
import type { SqlRunner } from '../database.js';

/** Receives the notifications of a channel. */
export interface NoticeListener {
  /** Called with each payload, in commit order. */
  heard(payload: string): void;
  /** Called after a reconnect, and when the process begins to serve: notifications may have been missed. */
  resumed(): void;
  /** Called when the connection ends: none are received until `resumed`. */
  lost?(): void;
}

const RETRY_MS = 1000;
const QUERY_TIMEOUT_MS = 10_000;
/** A query that any server answers at once. */
export const ASK = 'select 1';

/**
 * `NOTIFY` and `LISTEN` for all processes on the database. One connection per process, reopened when
 * it is lost. Outside the pool, so that a busy pool does not delay live updates.
 */
@Injectable()
export class DatabaseNotices
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly #logger = new Logger('Notices');
  readonly #listeners = new Map<string, Set<NoticeListener>>();
  /** Pending and completed `LISTEN` statements; failed ones are removed and retried. */
  readonly #channels = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #connection: Promise<Client> | undefined;

  constructor(
    private readonly orm: MikroORM,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Connects before the pool grows: a pooler with a connection limit might have none left later. */
  async onApplicationBootstrap(): Promise<void> {
    // CLI commands start no web server.
    if (this.http?.httpAdapter) {
      this.#connection ??= this.#connect();
      await this.#connection;
      this.#tellAll((listener) => listener.resumed());
    }
  }

  /**
   * Receives a channel as soon as this process serves requests. Call in a constructor. Commands hear
   * nothing.
   */
  follow(channel: string, listener: NoticeListener): void {
    this.#listeners.set(channel, (this.#listeners.get(channel) ?? new Set()).add(listener));
  }

  /**
   * Delivered when the transaction commits.
   *
   * @param payload at most 8000 bytes
   */
  async announce(channel: string, payload: string, tx: SqlRunner): Promise<void> {
    await tx.query('select pg_notify($1, $2)', [channel, payload]);
  }

  /**
   * Receives everything committed after this resolves. Idempotent for the same listener; may be
   * called again after a failure.
   *
   * @param channel a lower-case name with underscores
   * @param listener the same object each time
   * @throws Error when the database cannot be reached
   */
  async listen(channel: string, listener: NoticeListener): Promise<void> {
    this.follow(channel, listener);
    const asked = this.#channels.get(channel) ?? this.#ask(channel);
    this.#channels.set(channel, asked);
    await asked;
  }

  /** Resolves when the server answers. Commands have no connection, and do not ask. */
  async ask(): Promise<true> {
    await (await this.#connection)?.query(ASK);
    return true;
  }

  /** Opens another connection. */
  async reconnect(): Promise<void> {
    const client = await this.#connection?.catch(() => undefined);
    client?.connection.stream.destroy();
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  /** Runs after `beforeApplicationShutdown`: ending requests may still call `listen`. */
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
    this.#tellAll((listener) => listener.lost?.());
    if (this.#stop.signal.aborted) {
      return;
    }
    this.#logger.warn('The connection for notifications was lost; reconnecting.');
    this.#connection = this.#openAgain();
    this.#connection.then(
      () => this.#tellAll((listener) => listener.resumed()),
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

  #tellAll(tell: (listener: NoticeListener) => void): void {
    for (const listeners of this.#listeners.values()) {
      listeners.forEach(tell);
    }
  }
}
