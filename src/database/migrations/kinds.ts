import { Migration } from '@mikro-orm/migrations';
import { DATABASE_FUNCTIONS } from '../functions/all.js';
import { statementsOf, tableOf } from '../functions/database-function.js';

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

/**
 * SQL of a foreign key to a table that may be distributed already. There `database:distribute`, which an upgrade
 * that adds tables asks for, adds it with the distribution of its own table.
 */
export const keyUnlessDistributed = (table: string, key: string) => `
  do $do$ declare is_distributed boolean := false; begin
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
      execute $sql$select exists (select from pg_catalog.pg_dist_partition where partmethod = 'h')$sql$
         into is_distributed;
    end if;
    if not is_distributed then alter table ${table} add ${key}; end if;
  end $do$;`;

/** Makes or replaces the registered functions that name it, with their triggers. See CONTRIBUTING.md. */
export abstract class FunctionsMigration extends RollingMigration {
  get locks() {
    const triggers = this.#functions()
      .filter(({ onlyOn }) => onlyOn !== 'several servers')
      .flatMap((one) => Object.values(one.triggers ?? {}));
    return Object.fromEntries(triggers.map((one) => [tableOf(one), 'share row exclusive']));
  }

  override up(): void {
    for (const statement of this.#functions().flatMap(statementsOf)) {
      this.addSql(statement);
    }
  }

  #functions() {
    return DATABASE_FUNCTIONS.filter(({ appliedBy = '0108-functions' }) => appliedBy === this.name);
  }
}
