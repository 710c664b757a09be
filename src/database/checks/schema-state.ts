import type { CheckFinding } from '../../common/ports/installation-checks.js';

/** The schema of the database compared with this version. */
export interface SchemaState {
  /** The latest migration that was applied; null without any. */
  readonly current: string | null;
  /** The latest migration of this version. */
  readonly wanted: string;
  /** Migrations that the next start applies. */
  readonly pending: readonly string[];
  /** Migrations of a newer version. */
  readonly unknown: readonly string[];
}

/** @param applied oldest first; null without a schema. @param known oldest first */
export function schemaState(
  applied: readonly string[] | null,
  known: ReadonlySet<string>,
): SchemaState {
  const names = applied ?? [];
  return {
    current: names.at(-1) ?? null,
    wanted: [...known].at(-1) ?? '',
    pending: [...known].filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.has(name)),
  };
}

/** The same as a finding of `gatefold doctor`. */
export function schemaFinding(
  applied: readonly string[] | null,
  known: ReadonlySet<string>,
): CheckFinding {
  const { current, pending, unknown } = schemaState(applied, known);
  if (unknown.length > 0) {
    return {
      state: 'error',
      text: `The schema is of a newer version of Gatefold (unknown: ${unknown.join(', ')}).`,
      advice: 'Start that version, or restore an older backup.',
    };
  }
  if (pending.length > 0) {
    return {
      state: 'warning',
      text: `${pending.length} ${pending.length === 1 ? 'migration is' : 'migrations are'} pending: ${pending.join(', ')}.`,
      advice: 'Make a backup, and start this version of the service, which applies them.',
    };
  }
  return { state: 'ok', text: `The schema is that of this version (${current}).` };
}
