import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { Ballast } from './disk-reserve-file.js';
import { EMBEDDED_USER } from './embedded-postgres-cluster.js';
import { findPostgresPlace, type PostgresPlace } from './embedded-postgres-files.js';
import {
  connectOrStart,
  ensureDatabase,
  stopServer,
  type ServerSettings,
} from './embedded-postgres-server.js';
import type { SocketAddress } from '../orm.config.js';
import { withProcessLock } from '../process-lock.js';

/** A PostgreSQL server of our own in the data folder, running for as long as somebody holds it. */
export interface EmbeddedPostgres {
  readonly address: SocketAddress;
  /** The folder of the database, whose disk must not fill up. */
  readonly folder: string;
  /** Keeps some space that is given back when the server cannot start on a full disk. */
  keepBallast(): Promise<void>;
  /** Lets go of the server; the last process to do so stops it. */
  release(): Promise<void>;
}

const DATABASE_NAME = 'gatefold';

/** Any fixed number: every process of every version must ask for the same lock. */
const HOLD_LOCK = 4_706_002;

const RETRY_SECONDS = 5;

/**
 * Starts the server of a data folder, or joins the processes that use it already. Should the server
 * die while it is held, it is started again.
 *
 * @param options.settings more server settings, for tests
 * @throws Error that says what keeps the server from running, and what helps
 */
export async function holdEmbeddedPostgres(options: {
  readonly dataDir: string;
  readonly log: (line: string) => void;
  readonly settings?: ServerSettings;
}): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options;
  const place = await findPostgresPlace(path.resolve(options.dataDir), log);
  const hold = new Hold(place, settings, log);
  await hold.take();
  return {
    address: { socketDir: place.socketDir, user: EMBEDDED_USER, dbName: DATABASE_NAME },
    folder: place.baseDir,
    keepBallast: () => hold.keepBallast(),
    release: () => hold.release(),
  };
}

/**
 * This process's share in the server: a connection with a shared lock, which the server itself
 * forgets when the process dies. Taking and letting go happen in turns, so nobody joins a server
 * that somebody else is about to stop.
 */
class Hold {
  readonly #released = new AbortController();
  readonly #turns: string;
  readonly #ballast: Ballast;
  #connection: Client | undefined;
  #recovery: Promise<void> = Promise.resolve();

  constructor(
    private readonly place: PostgresPlace,
    private readonly settings: ServerSettings,
    private readonly log: (line: string) => void,
  ) {
    this.#turns = path.join(place.baseDir, 'turn.lock');
    this.#ballast = new Ballast(place);
  }

  async take(): Promise<void> {
    await this.#inTurn(async () => {
      const connection = await connectOrStart(this.place, this.settings, this.#released.signal);
      this.#connection = connection;
      try {
        await connection.query('select pg_advisory_lock_shared($1)', [HOLD_LOCK]);
        await ensureDatabase(connection, DATABASE_NAME);
      } catch (error) {
        await this.#letGo();
        throw error;
      }
      connection.once('end', () => this.#recover());
    });
  }

  /** One process at a time writes it. */
  async keepBallast(): Promise<void> {
    await withProcessLock(this.#turns, () => this.#ballast.fill());
  }

  async release(): Promise<void> {
    this.#released.abort();
    await this.#recovery;
    await this.#inTurn(() => this.#letGo());
  }

  /**
   * One process at a time. On a full disk even the lock cannot be written, let alone the server
   * started: then the ballast is given back, so that users can remove things again.
   */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    try {
      await withProcessLock(this.#turns, work);
    } catch (error) {
      if (!(await this.#ballast.release())) {
        throw error;
      }
      this.log('The disk is full. Gave back the space that was kept for this; make room now.');
      await withProcessLock(this.#turns, work);
    }
  }

  async #letGo(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) {
      return;
    }
    try {
      await connection.query('select pg_advisory_unlock_shared($1)', [HOLD_LOCK]);
      const { rows } = await connection.query<{ last: boolean }>(
        'select pg_try_advisory_lock($1) as last',
        [HOLD_LOCK],
      );
      await connection.end();
      if (rows[0]?.last === true && !(await stopServer(this.place))) {
        this.log('The embedded database takes long to stop; it will finish by itself.');
      }
    } catch {
      // The connection broke, so the server forgot us, or has gone itself.
    }
  }

  #recover(): void {
    this.#connection = undefined;
    if (!this.#released.signal.aborted) {
      this.log('The embedded database has stopped unexpectedly; starting it again.');
      this.#recovery = this.#takeAgain();
    }
  }

  async #takeAgain(): Promise<void> {
    while (!this.#released.signal.aborted) {
      try {
        await this.take();
        this.log('The embedded database runs again.');
        return;
      } catch (error) {
        if (!this.#released.signal.aborted) {
          this.log(`${(error as Error).message}\nTrying again in ${RETRY_SECONDS} s.`);
        }
        await pause(RETRY_SECONDS * 1000, undefined, { signal: this.#released.signal }).catch(
          () => {},
        );
      }
    }
  }
}
