import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { Config } from '../../common/config/config.js';
import { closeConnection, openPoolConnection } from './dedicated-connection.js';

/** Checks whether the database accepts as many connections as this process may open. */
@Injectable()
export class ConnectionCheck {
  /** Timeout of a connection. */
  withinMs = 5000;

  readonly #logger = new Logger('Database');

  constructor(
    private readonly orm: MikroORM,
    private readonly config: Config,
  ) {}

  /** Opens all connections for a moment at the start, and logs a warning if some are refused. */
  async run(): Promise<void> {
    const wanted = this.config.databaseConnections;
    const attempts = await Promise.allSettled(Array.from({ length: wanted }, () => this.#open()));
    const opened = attempts.flatMap((attempt) =>
      attempt.status === 'fulfilled' ? [attempt.value] : [],
    );
    await Promise.all(opened.map(closeConnection));
    if (opened.length < wanted) {
      this.#logger.warn(
        `Only ${opened.length} of the ${wanted + 1} connections that this process may need could be ` +
          `opened. Let the database or its pooler give it more, or set ` +
          `GATEFOLD_DATABASE_CONNECTIONS=${Math.max(4, opened.length)}; until then requests may have to wait, or get 503.`,
      );
    }
  }

  async #open(): Promise<Client> {
    const client = await openPoolConnection(this.orm, {
      connectionTimeoutMillis: this.withinMs,
      query_timeout: this.withinMs,
    });
    try {
      // A pooler accepts connections before it has a session for them.
      await client.query('select 1');
      return client;
    } catch (error) {
      await closeConnection(client);
      throw error;
    }
  }
}
