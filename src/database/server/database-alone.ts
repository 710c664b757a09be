import { MikroORM } from '@mikro-orm/postgresql';
import type { Config } from '../../common/config/config.js';
import { ormConfig } from '../connections/orm.config.js';
import { startFailure } from '../start-failure.js';
import { findServer } from './database-server.js';

const CONNECTIONS = 4;

/**
 * Runs a command that needs the database, and not the application.
 *
 * @throws StartRefused when the database cannot be used
 */
export async function withDatabaseAlone<Result>(
  config: Config,
  work: (orm: MikroORM) => Promise<Result>,
): Promise<Result> {
  const server = await findServer(config);
  try {
    const orm = await MikroORM.init(ormConfig(server.address, [], CONNECTIONS));
    try {
      return await work(orm);
    } catch (error) {
      throw startFailure(error);
    } finally {
      await orm.close();
    }
  } finally {
    await server.release();
  }
}
