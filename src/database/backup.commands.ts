import { MikroORM } from '@mikro-orm/postgresql';
import type { Command } from 'commander';
import path from 'node:path';
import { Config, loadConfig } from '../common/config/config.js';
import { findServer } from './database-server.js';
import { ormConfig } from './orm.config.js';
import { restoreBackup, type Restored } from './restore-backup.js';
import { writeBackup } from './write-backup.js';
import { CommandRefused } from '../common/command-line/command-refused.js';
import { say } from '../common/command-line/say.js';
import type { WithApp } from '../common/command-line/with-app.js';
import { RestoreHooks } from '../common/ports/restore-hooks.js';

const CONNECTIONS = 4;

/** The operator's commands for backups of the database. */
export function registerBackupCommands(
  program: Command,
  withApp: WithApp,
  withAppAndAnyKey: WithApp,
): void {
  program
    .command('backup <file>')
    .description('write the database to a new file; the service may be running')
    .action(async (file: string) => {
      const { config, rows } = await withApp(async (get) => ({
        config: get(Config),
        rows: await writeBackup(get(MikroORM), file).catch(refuseExisting),
      }));
      say(`${file} has ${total(rows)} rows of ${Object.keys(rows).length} tables.`);
      say(`Keep with it:\n${beside(config)}`);
    });

  program
    .command('restore <file>')
    .description('fill an empty database from a backup, before the first start')
    .action(async (file: string) => {
      const { config, restored } = await restore(file);
      await withAppAndAnyKey((get) => get(RestoreHooks).run());
      const { header, rows, hasJobs } = restored;
      say(
        `Restored ${total(rows)} rows of ${Object.keys(rows).length} tables, as of ${header.createdAt}.`,
      );
      if (!hasJobs) {
        say(
          'Waiting jobs (events and tasks for external apps) were skipped: their schema has another version.',
        );
      }
      say(`Before the start, restore:\n${beside(config)}`);
    });
}

async function restore(file: string): Promise<{ config: Config; restored: Restored }> {
  const config = loadConfig(process.env);
  const server = await findServer(config);
  try {
    const orm = await MikroORM.init(ormConfig(server.address, [], CONNECTIONS));
    try {
      return { config, restored: await restoreBackup(orm, file).catch(refuseMissing) };
    } finally {
      await orm.close();
    }
  } finally {
    await server.release();
  }
}

function refuseExisting(error: NodeJS.ErrnoException): never {
  throw error.code === 'EEXIST' ? new CommandRefused('The file exists; name a new one.') : error;
}

function refuseMissing(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? new CommandRefused('There is no such file.') : error;
}

function beside({ dataDir, secretKey }: Config): string {
  return [
    `  ${path.join(dataDir, 'files')}, the contents of users' files`,
    secretKey === undefined
      ? `  ${path.join(dataDir, 'secret.key')}, the key of everything sealed in the database`
      : '  the value of GATEFOLD_SECRET_KEY, the key of everything sealed in the database',
  ].join('\n');
}

function total(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
