import type { Command } from 'commander';
import { stat } from 'node:fs/promises';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { fileRefused } from '../../common/command-line/file-refused.js';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { ProgressBar } from '../../common/command-line/progress-bar.js';
import { say } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { UserAccounts } from '../../common/ports/user-accounts.js';
import { readerOf } from '../reader/delivery/reader-of.js';
import { ImportWork } from './import-work.task.js';
import { ImportsService, type ShownImport } from './imports.service.js';
import { programOf } from './programs.js';

interface ImportOptions {
  readonly dryRun?: true;
}

/** The operator's command for files of other readers. */
export function registerImportCommand(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('news:import <user> <file>'))
    .description('import a file of another reader for a user (docs/migration.md)')
    .option('--dry-run', 'tell what the file holds, import nothing')
    .action(async (userId: string, file: string, { dryRun }: ImportOptions) => {
      const found = await stat(file).catch((error: unknown) => {
        throw fileRefused(error, file);
      });
      if (!found.isFile()) {
        throw new CommandRefused('The file must be a file on disk: it is read twice.');
      }
      await withApp(async (get) => {
        if (!(await get(UserAccounts).allUserIds()).includes(userId)) {
          throw new CommandRefused(`There is no user "${userId}".`);
        }
        const reader = await readerOf(get, userId);
        const imports = get(ImportsService);
        const read = await imports.read(reader, file);
        describe(read);
        if (dryRun) {
          await imports.remove(reader, read.id);
          say('Nothing was imported.');
          return;
        }
        await imports.start(reader, read.id);
        const bar = new ProgressBar('importing');
        try {
          while (
            !(await get(ImportWork).run(reader, read.id, { onProgress: bar.show.bind(bar) }))
          ) {
            // It goes on.
          }
        } finally {
          bar.end();
        }
        await get(AdministrationLog).record({
          kind: 'feed_changed',
          userId,
          details: `imported a file of ${programOf(read.format)}`,
        });
        conclude(await imports.one(reader, read.id));
      });
    });
}

function describe({ format, rowCount, preview, leftOut }: ShownImport): void {
  const { found, toStore, notFound } = preview;
  say(
    `${programOf(format)}: ${rowCount} articles; ${found} are there already, ${toStore} are to be stored, ` +
      `${notFound} only tell the state of articles that are not there.`,
  );
  leftOut.reasons.forEach(({ reason, count }) => say(`  ${count} times: ${reason}`));
}

function conclude({ outcome }: ShownImport): void {
  const { stored = 0, starred = 0, labelled = 0, noted = 0, read = 0, feeds = 0 } = outcome;
  say(
    `${stored} articles stored, ${starred} starred, ${labelled} labelled, ${noted} with notes, ` +
      `${read} marked read; ${feeds} feeds followed.`,
  );
}
