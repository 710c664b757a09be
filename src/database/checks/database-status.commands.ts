import type { MikroORM } from '@mikro-orm/postgresql';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { AS_JSON, show, type AsJson } from '../../common/command-line/say.js';
import type { RegisterCommands } from '../../common/command-line/with-app.js';
import { closeConnection, openConnection, runnerOf } from '../connections/dedicated-connection.js';
import { databaseExists } from '../migrate.js';
import { appliedMigrations } from '../migration-names.js';
import { withDatabaseAlone } from '../server/database-alone.js';
import { schemaState, type SchemaState } from './schema-state.js';

/** The operator's command for the schema. Exit code 1 unless the schema matches this version. */
export const registerDatabaseStatusCommand: RegisterCommands = (
  program,
  _withApp,
  { settings },
) => {
  inOwnProcess(program.command('database:status'))
    .description('compare the schema of the database with this version; changes nothing')
    .option(...AS_JSON)
    .action(async (options: AsJson) => {
      const state = await withDatabaseAlone(settings(), async (orm) =>
        schemaState(await applied(orm)),
      );
      show(state, options, () => describe(state));
      process.exitCode = isCurrent(state) ? 0 : 1;
    });
};

async function applied(orm: MikroORM): Promise<string[] | null> {
  if (!(await databaseExists(orm))) {
    return null;
  }
  const client = await openConnection(orm, { application_name: 'gatefold status' });
  try {
    return await appliedMigrations(runnerOf(client));
  } finally {
    await closeConnection(client);
  }
}

function isCurrent({ pending, unknown, tooOld }: SchemaState): boolean {
  return pending.length + unknown.length === 0 && tooOld === null;
}

function describe(state: SchemaState): string {
  const { current, wanted, pending, unknown, tooOld } = state;
  return [
    `Database: ${current ?? 'empty'}`,
    `Program:  ${wanted}`,
    ...(pending.length === 0 ? [] : ['Pending, applied by the next start:', ...indented(pending)]),
    ...(unknown.length === 0
      ? []
      : ['Of a newer version, with which the database must be started:', ...indented(unknown)]),
    ...(tooOld === null ? [] : [tooOld.text, tooOld.advice]),
    ...(isCurrent(state) ? ['The schema is that of this version.'] : []),
  ].join('\n');
}

function indented(names: readonly string[]): string[] {
  return names.map((name) => `  ${name}`);
}
