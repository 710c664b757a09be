import type { MikroORM } from '@mikro-orm/postgresql';
import { installJobSchema } from './job-schema.js';

/** Any fixed number: every process of every version must ask for the same lock. */
const MIGRATION_LOCK = 4_706_001;

/**
 * Brings the database up to this version's schema. Processes that start together take turns, so
 * the second finds nothing left to do.
 *
 * @returns names of the migrations that ran
 */
export async function migrate(orm: MikroORM): Promise<string[]> {
  await orm.schema.ensureDatabase();
  const pool = await orm.em.getConnection().getNativeClient();
  const lockHolder = await pool.connect();
  try {
    await lockHolder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await orm.migrator.up();
    await installJobSchema(pool);
    return done.map(({ name }) => name);
  } finally {
    await lockHolder.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    lockHolder.release();
  }
}
