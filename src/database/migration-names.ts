import type { SqlRunner } from '../common/sql-runner.js';
import { MIGRATIONS } from './migrations/all.js';

/** Names of all migrations of this version, oldest first. */
export function migrationNames(): ReadonlySet<string> {
  // The name of a migration needs neither a driver nor a configuration.
  const nothing = undefined as never;
  return new Set(MIGRATIONS.map((Migration) => new Migration(nothing, nothing).name));
}

/** Of a newer version. */
export async function unknownMigrations(runner: SqlRunner): Promise<string[]> {
  const known = migrationNames();
  return ((await appliedMigrations(runner)) ?? []).filter((name) => !known.has(name));
}

/** Names of migrations that were applied, oldest first; null without a schema. */
export async function appliedMigrations(runner: SqlRunner): Promise<string[] | null> {
  const [table] = await runner.query<{ exists: boolean }>(
    `select to_regclass('migration') is not null as exists`,
  );
  if (table?.exists !== true) {
    return null;
  }
  const rows = await runner.query<{ name: string }>('select name from migration order by id');
  return rows.map(({ name }) => name);
}
