import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { lastActs } from '../../common/last-acts.js';
import type { SocketAddress } from '../connections/orm.config.js';
import { DiskReserveFile } from './disk-reserve-file.js';
import { EMBEDDED_USER } from './embedded-postgres-cluster.js';
import {
  locatePostgres,
  preparePostgresPaths,
  type PostgresPaths,
} from './embedded-postgres-files.js';
import {
  answers,
  connectAgain,
  connectOrStart,
  ensureDatabase,
  stopServer,
  type ServerSettings,
} from './embedded-postgres-server.js';
import { withProcessLock } from './process-lock.js';

/** A PostgreSQL server in the data folder that runs while any process holds it. */
export interface EmbeddedPostgres {
  readonly address: SocketAddress;
  /** The folder of the database, whose disk must not fill up. */
  readonly folder: string;
  /** Restarts after an unexpected end, since it is held. */
  restarts(): number;
  /** Reserves space that is freed when the server cannot start on a full disk. */
  keepDiskReserve(): Promise<void>;
  /** The last process to release the server stops it. */
  release(): Promise<void>;
}

const DATABASE_NAME = 'gatefold';

/** Arbitrary, but the same in every version: all processes must use the same lock. */
const HOLD_LOCK = 4_706_002;

const RETRY_SECONDS = 5;

type Log = (line: string, isWarning?: true) => void;

/**
 * Starts the server of a data folder, or connects to the running one. Restarts it if it crashes while
 * it is held.
 *
 * @param options.settings additional server settings, for tests
 * @throws Error with the reason why the server does not run, and the remedy
 */
export async function holdEmbeddedPostgres(options: {
  readonly dataDir: string;
  readonly log: Log;
  readonly settings?: ServerSettings;
}): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options;
  const paths = await preparePostgresPaths(path.resolve(options.dataDir), log);
  const hold = new Hold(paths, settings, log);
  const release = async () => {
    await hold.release();
    lastActs.delete(release);
  };
  lastActs.add(release);
  await hold.take();
  return {
    address: { socketDir: paths.socketDir, user: EMBEDDED_USER, dbName: DATABASE_NAME },
    folder: paths.baseDir,
    restarts: () => hold.restarts,
    keepDiskReserve: () => hold.keepDiskReserve(),
    release,
  };
}

/**
 * The server of a data folder, if it is running. Holds and writes nothing.
 *
 * @returns null when it is not
 */
export async function findRunningPostgres(
  dataDir: string,
): Promise<Pick<EmbeddedPostgres, 'address' | 'folder'> | null> {
  const found = await locatePostgres(path.resolve(dataDir));
  if (found === null || !(await answers(found.socketDir))) {
    return null;
  }
  return {
    address: { socketDir: found.socketDir, user: EMBEDDED_USER, dbName: DATABASE_NAME },
    folder: found.baseDir,
  };
}

/**
 * A shared advisory lock in the server, released by the server if this process dies. Taking and
 * releasing it is serialised between processes, so that none connects to a server that another is
 * stopping.
 */
class Hold {
  readonly #released = new AbortController();
  readonly #turns: string;
  readonly #diskReserve: DiskReserveFile;
  restarts = 0;
  #connection: Client | undefined;
  #recovery: Promise<void> = Promise.resolve();
  #release: Promise<void> | undefined;

  constructor(
    private readonly paths: PostgresPaths,
    private readonly settings: ServerSettings,
    private readonly log: Log,
  ) {
    this.#turns = path.join(paths.baseDir, 'turn.lock');
    this.#diskReserve = new DiskReserveFile(paths);
  }

  async take(): Promise<void> {
    await this.#inTurn(async () => {
      const connection = await connectOrStart(this.paths, this.settings, this.#released.signal);
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

  async keepDiskReserve(): Promise<void> {
    await withProcessLock(this.#turns, () => this.#diskReserve.fill());
  }

  release(): Promise<void> {
    this.#released.abort();
    return (this.#release ??= this.#recovery.then(() => this.#inTurn(() => this.#letGo())));
  }

  /**
   * Serialises work between processes. On a full disk not even the lock file can be written: then the
   * reserve is freed and the work retried, so that users can delete something.
   */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    try {
      await withProcessLock(this.#turns, work);
    } catch (error) {
      if (!(await this.#diskReserve.release())) {
        throw (await this.#diskReserve.isOnFullDisk()) && !('code' in (error as Error))
          ? new Error(`The disk of ${this.paths.baseDir} is full. ${(error as Error).message}`, {
              cause: error,
            })
          : error;
      }
      this.log('The disk is full. Freed the reserved space to start the database; make room now.');
      await withProcessLock(this.#turns, work);
    }
  }

  async #letGo(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    // A server that lost its connections, and with them all holds, may be running all the same.
    const isHeld =
      (await isHeldByOthers(connection)) ?? (await isHeldByOthers(await connectAgain(this.paths)));
    if (isHeld !== true && !(await stopServer(this.paths).catch(() => true))) {
      this.log('The embedded database is still shutting down.');
    }
  }

  #recover(): void {
    this.#connection = undefined;
    if (!this.#released.signal.aborted) {
      this.log('The embedded database has stopped unexpectedly; restarting it.', true);
      this.#recovery = this.#takeAgain();
    }
  }

  async #takeAgain(): Promise<void> {
    while (!this.#released.signal.aborted) {
      try {
        await this.take();
        this.restarts += 1;
        this.log('The embedded database is running again.');
        return;
      } catch (error) {
        if (!this.#released.signal.aborted) {
          this.log(
            `The embedded database could not be started again: ${(error as Error).message}\nTrying again in ${RETRY_SECONDS} s.`,
            true,
          );
        }
        await pause(RETRY_SECONDS * 1000, undefined, { signal: this.#released.signal }).catch(
          () => {},
        );
      }
    }
  }
}

/** Gives up the hold of this connection, and ends it. @returns undefined when it is lost */
async function isHeldByOthers(connection: Client | undefined): Promise<boolean | undefined> {
  try {
    await connection?.query('select pg_advisory_unlock_shared($1)', [HOLD_LOCK]);
    const answer = await connection?.query<{ last: boolean }>(
      'select pg_try_advisory_lock($1) as last',
      [HOLD_LOCK],
    );
    await connection?.end();
    return answer && answer.rows[0]?.last !== true;
  } catch {
    return undefined;
  }
}
