import type { Command } from 'commander';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { say } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { ExAppsService } from './ex-apps.service.js';

/** The operator's command for the secret of an external app. */
export function registerAppSecretCommand(program: Command, withApp: WithApp): void {
  program
    .command('app_api:app:secret <appid>')
    .description('set the secret of an external app to the one in the variable APP_SECRET')
    .action(async (appId: string) => {
      const secret = process.env['APP_SECRET'];
      if (!secret) {
        throw new CommandRefused(
          'Set the variable APP_SECRET to the secret that the app was started with.',
        );
      }
      if (!(await withApp((get) => get(ExAppsService).setSecret(appId, secret)))) {
        throw new CommandRefused(`There is no external app "${appId}".`);
      }
      say(`The secret of ${appId} is the one in APP_SECRET.`);
    });
}
