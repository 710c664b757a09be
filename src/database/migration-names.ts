import type { SqlRunner } from '../common/sql-runner.js';
import { BASE, MIGRATIONS } from './migrations/all.js';

/**
 * The last migration before the base, which makes the same schema.
 *
 * @see docs/decisions/0084-the-schema-of-1-0-is-one-base.md
 */
const LAST_FORMER = '0077-manners';

/** The last commit with the migrations up to `LAST_FORMER`. */
export const LAST_FORMER_COMMIT = '3d4de602';

/** Oldest first. */
export const MIGRATION_NAMES: readonly string[] = namesOf(MIGRATIONS);

const BASE_NAMES = namesOf(BASE);
const [FIRST_OF_BASE = ''] = BASE_NAMES;

/** The name of a migration needs neither a driver nor a configuration. */
function namesOf(migrations: typeof MIGRATIONS): string[] {
  const nothing = undefined as never;
  return migrations.map((Migration) => new Migration(nothing, nothing).name);
}

/** Whether a name is of a migration before the base. */
function isFormer(name: string): boolean {
  return name < FIRST_OF_BASE;
}

/** The base in place of the migrations before it. Without the last of these, the names are as given. */
export function inNamesOfToday(names: readonly string[]): string[] {
  return names.includes(LAST_FORMER)
    ? [...new Set([...BASE_NAMES, ...names.filter((name) => !isFormer(name))])]
    : [...names];
}

/** Why this version cannot upgrade a schema, and the remedy. */
export interface TooOld {
  readonly text: string;
  readonly advice: string;
}

/** @param applied as `appliedMigrations` returns them */
export function whyTooOld(applied: readonly string[]): TooOld | null {
  const last = applied.findLast(isFormer);
  return last === undefined
    ? null
    : {
        text: `The schema is older than this version can upgrade: its last migration is ${last}, not ${LAST_FORMER}.`,
        advice:
          `Start commit ${LAST_FORMER_COMMIT} of Gatefold on it once, then this version ` +
          '(docs/operations/upgrade.md).',
      };
}

/** Migrations of a newer version. */
export async function unknownMigrations(runner: SqlRunner): Promise<string[]> {
  return unknownOf((await appliedMigrations(runner)) ?? []);
}

export function unknownOf(applied: readonly string[]): string[] {
  return applied.filter((name) => !MIGRATION_NAMES.includes(name) && !isFormer(name));
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
  return inNamesOfToday(rows.map(({ name }) => name));
}

/**
 * Records the base in a database with the migrations before it. They stay recorded, so that the version
 * before can be started again with GATEFOLD_ALLOW_NEWER_SCHEMA.
 */
export async function recordBase(runner: SqlRunner): Promise<void> {
  const applied = await appliedMigrations(runner);
  if (applied?.includes(FIRST_OF_BASE) === true) {
    await runner.query(
      `insert into migration (name, executed_at)
       select name, now() from unnest($1::text[]) with ordinality given (name, place)
        where name not in (select name from migration) order by place`,
      [BASE_NAMES],
    );
  }
}
