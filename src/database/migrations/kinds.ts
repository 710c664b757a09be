import { Migration } from '@mikro-orm/migrations';

/** Lock timeout. Below `deadlock_timeout` (1 s), so that no waiting request is ended as a deadlock. */
const LOCK_MS = 500;

/** Runs while processes of the previous version serve and continue. See CONTRIBUTING.md. */
export abstract class RollingMigration extends Migration {
  /** Existing tables that it changes or refers to, with the mode of the strongest lock that it takes. */
  abstract readonly locks: Readonly<Record<string, string>>;
  /** Name of the migration since which processes do not use what this one removes. */
  readonly contracts?: string;

  /** Takes all locks first: late locks could deadlock with requests. */
  override getQueries() {
    const tables = Object.entries(this.locks);
    return [
      `set local lock_timeout = ${LOCK_MS / (tables.length || 1)}`,
      ...tables.map(([table, mode]) => `lock table ${table} in ${mode} mode`),
      ...super.getQueries(),
      'set local lock_timeout = 0',
    ];
  }
}
