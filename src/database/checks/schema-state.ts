import type { CheckFinding } from '../../common/ports/installation-checks.js';
import { MIGRATION_NAMES, unknownOf, whyTooOld, type TooOld } from '../migration-names.js';

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
  /** If set, the next start is refused. */
  readonly tooOld: TooOld | null;
}

/** @param applied oldest first; null without a schema */
export function schemaState(applied: readonly string[] | null): SchemaState {
  const names = applied ?? [];
  const tooOld = whyTooOld(names);
  return {
    current: names.at(-1) ?? null,
    wanted: MIGRATION_NAMES.at(-1) ?? '',
    pending: tooOld === null ? MIGRATION_NAMES.filter((name) => !names.includes(name)) : [],
    unknown: unknownOf(names),
    tooOld,
  };
}

/** The schema state as a finding of `gatefold doctor`. */
export function schemaFinding(applied: readonly string[] | null): CheckFinding {
  const { current, pending, unknown, tooOld } = schemaState(applied);
  if (tooOld !== null) {
    return { state: 'error', ...tooOld };
  }
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
