import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Client } from 'pg';
import { Metrics } from '../../common/metrics/metrics.js';
import { closeConnection, openConnection, runnerOf } from '../connections/dedicated-connection.js';
import { Database } from '../database.js';
import { hasDistributedTables } from '../distributed-tables.js';
import { ASK_WORKERS_ANEW, endWaitingSessions, listSilentWorkers } from './workers.repository.js';

const TURN_MS = 1000;

/** Detects unresponsive workers of a cluster: work on their data is refused until they answer. */
@Injectable()
export class WorkerWatch implements OnApplicationShutdown {
  readonly #logger = new Logger('Database');
  #isDistributed: boolean | undefined;
  #isAsking = false;
  #client: Client | undefined;

  constructor(
    private readonly orm: MikroORM,
    private readonly database: Database,
    metrics: Metrics,
  ) {
    const help = 'Workers of the database that do not answer.';
    metrics.read({ name: 'gatefold_database_silent_workers', help }, () => [
      { labels: {}, value: database.silentWorkers.length },
    ]);
  }

  @Interval('database-workers', TURN_MS)
  async turn(): Promise<void> {
    const { used, waiting } = this.database.connections();
    const isBusy = used + waiting > 0 || this.database.silentWorkers.length > 0;
    if (this.#isAsking || !isBusy || this.#isDistributed === false) {
      return;
    }
    this.#isAsking = true;
    try {
      await this.#ask();
    } catch {
      await this.onApplicationShutdown();
    }
    this.#isAsking = false;
  }

  async onApplicationShutdown(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (client && closeConnection(client));
  }

  async #ask(): Promise<void> {
    const isNew = this.#client === undefined;
    this.#client ??= await openConnection(this.orm, { application_name: 'gatefold workers' });
    const runner = runnerOf(this.#client);
    if (isNew) {
      this.#isDistributed = await hasDistributedTables(runner);
      if (!this.#isDistributed) {
        return this.onApplicationShutdown();
      }
      await this.#client.query(ASK_WORKERS_ANEW);
    }
    const silent = await listSilentWorkers(runner);
    const before = this.database.silentWorkers;
    this.database.silentWorkers = silent;
    for (const server of silent.filter((one) => !before.includes(one))) {
      this.#logger.error(`The worker ${server} does not answer; what it stores is refused.`);
    }
    for (const server of before.filter((one) => !silent.includes(one))) {
      this.#logger.log(`The worker ${server} answers again.`);
    }
    if (silent.length > 0) {
      this.database.endSessions(await endWaitingSessions(runner));
    }
  }
}
