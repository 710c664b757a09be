import { Logger } from '@nestjs/common';
import { fileRefused } from '../../common/command-line/file-refused.js';
import type { Config } from '../../common/config/config.js';
import { StartRefused } from '../../common/errors/start-refused.js';
import type { DatabaseAddress } from '../connections/orm.config.js';
import { findRunningPostgres, holdEmbeddedPostgres } from '../embedded/embedded-postgres.js';

/** The configured server, or the embedded one until it is released. */
export interface DatabaseServer {
  readonly address: DatabaseAddress;
  /** Folder of the embedded server. */
  readonly folder?: string;
  /** Restarts of the embedded server after an unexpected end. */
  restarts?(): number;
  /** Reserves disk space for restarting the embedded server on a full disk. */
  keepDiskReserve?(): Promise<void>;
  release(): Promise<void>;
}

/** @throws StartRefused when the embedded server does not start */
export async function findServer(config: Config): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) {
    return {
      address: { url: config.databaseUrl, directUrl: config.databaseDirectUrl },
      release: async () => {},
    };
  }
  const logger = new Logger('Database');
  try {
    return await holdEmbeddedPostgres({
      dataDir: config.dataDir,
      log: (line, isWarning) => (isWarning ? logger.warn(line) : logger.log(line)),
    });
  } catch (error) {
    const refused = fileRefused(error, (error as NodeJS.ErrnoException).path ?? config.dataDir);
    const remedy =
      refused === error ? '' : ' Mend that, or set GATEFOLD_DATA_DIR to another folder.';
    throw new StartRefused((refused as Error).message + remedy, { cause: error });
  }
}

/**
 * Finds the server without starting the embedded one or writing anything.
 * @throws StartRefused when it is not running
 */
export async function findRunningServer(config: Config): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) {
    return findServer(config);
  }
  const found = await findRunningPostgres(config.dataDir);
  if (found === null) {
    throw new StartRefused('The embedded database is not running; it runs while the service does.');
  }
  return { ...found, release: async () => {} };
}
