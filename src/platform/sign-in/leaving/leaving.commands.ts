import type { Command } from 'commander';
import { say } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { LeavingService } from './leaving.service.js';

/** The operator's command for accounts whose owners want them deleted. */
export function registerLeavingCommands(program: Command, withApp: WithApp): void {
  program
    .command('user:keep <name>')
    .description('cancel the deletion that the owner of an account has asked for')
    .action(async (userId: string) => {
      await withApp((get) => get(LeavingService).keep(userId));
      say(`The account of user "${userId}" is kept.`);
    });
}
