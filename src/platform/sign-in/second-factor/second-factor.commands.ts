import type { Command } from 'commander';
import { say } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { SecondFactorResets } from './second-factor-resets.service.js';

/** The operator's command for users who have lost their second factor. */
export function registerSecondFactorCommands(program: Command, withApp: WithApp): void {
  program
    .command('user:reset-second-factor <name>')
    .description('remove the second factors of a user who has lost them')
    .action(async (userId: string) => {
      await withApp((get) => get(SecondFactorResets).reset(userId));
      say(`Removed the second factors of user "${userId}".`);
    });
}
