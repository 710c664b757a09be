import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { say } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { UsersService } from '../accounts/users/users.service.js';
import { ExportsService } from './exports.service.js';

interface ExportOptions {
  readonly files: boolean;
  readonly secrets?: true;
}

/** The operator's command for the archive of an account. */
export function registerExportCommands(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('user:export <name> [file]'))
    .description('write everything that an account has as one archive; "-" is standard output')
    .option('--no-files', 'without the files of the user')
    .option('--secrets', 'with passwords and tokens of the user for other servers')
    .action(async (userId: string, file: string | undefined, options: ExportOptions) => {
      await withApp(async (get) => {
        // Disabled accounts, too: whoever left may ask for their data.
        await get(UsersService).show(userId);
        const { files: withFiles, secrets: withSecrets = false } = options;
        const content = await get(ExportsService).archive({ userId, withFiles, withSecrets });
        if (file === '-') {
          await pipeline(content, process.stdout, { end: false });
          return;
        }
        const target = file ?? `gatefold-${userId}.zip`;
        await writeWhole(content, target);
        say(`Wrote everything of user "${userId}" to ${target}.`);
      });
    });
}

/** The file has its name only when it is complete. */
async function writeWhole(content: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(content, createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
