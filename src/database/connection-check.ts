import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { Config } from '../common/config/config.js';
import { closeConnection, openConnection } from './dedicated-connection.js';
import { mostStreams } from './database.js';

/** Whether this process gets as many connections as its settings let it open. */
@Injectable()
export class ConnectionCheck {
  /** How long a connection may take. */
  withinMs = 5000;

  readonly #logger = new Logger('Database');

  constructor(
    private readonly orm: MikroORM,
    private readonly config: Config,
  ) {}

  /**
   * Opens them all for a moment. A pooler or a server that gives fewer makes requests wait as soon as
   * there are many, so the log says it at the start.
   */
  async run(): Promise<void> {
    const { databaseConnections } = this.config;
    const wanted = databaseConnections + mostStreams(databaseConnections);
    const attempts = await Promise.allSettled(Array.from({ length: wanted }, () => this.#open()));
    const opened = attempts.flatMap((attempt) =>
      attempt.status === 'fulfilled' ? [attempt.value] : [],
    );
    await Promise.all(opened.map(closeConnection));
    if (opened.length < wanted) {
      // Two thirds are for the pool, one third for streams.
      const fitting = Math.max(4, Math.floor((opened.length * 2) / 3));
      this.#logger.warn(
        `Only ${opened.length} of the ${wanted + 1} connections that this process may need could be ` +
          `opened. Let the database or its pooler give it more, or set ` +
          `GATEFOLD_DATABASE_CONNECTIONS=${fitting}; until then requests may have to wait, or get 503.`,
      );
    }
  }

  async #open(): Promise<Client> {
    const client = await openConnection(this.orm, {
      connectionTimeoutMillis: this.withinMs,
      query_timeout: this.withinMs,
    });
    try {
      // A pooler takes connections that it has no session for yet.
      await client.query('select 1');
      return client;
    } catch (error) {
      await closeConnection(client);
      throw error;
    }
  }
}
