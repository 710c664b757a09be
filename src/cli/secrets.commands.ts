import type { Command } from 'commander';
import { ExAppsRepository } from '../app-api/apps/ex-apps.repository.js';
import { SecretKeyService, type LostValues } from '../platform/secrets/secret-key.service.js';
import { CommandRefused } from '../common/command-line/command-refused.js';
import { say } from '../common/command-line/say.js';
import type { WithApp } from '../common/command-line/with-app.js';

/** The operator's commands for the secret key, and for what was sealed with one that is lost. */
export function registerSecretCommands(
  program: Command,
  withApp: WithApp,
  withAppAndAnyKey: WithApp,
): void {
  program
    .command('secrets:reset')
    .description('list what is lost with a lost secret key, and accept the present key')
    .option('--accept-loss', 'give up what is listed; without it nothing is changed')
    .action(async ({ acceptLoss = false }: { acceptLoss?: boolean }) => {
      const lost = await withAppAndAnyKey((get) =>
        acceptLoss ? get(SecretKeyService).reset() : get(SecretKeyService).lost(),
      );
      say(lost.map(describe).join('\n') || 'Nothing that was sealed is lost.');
      say(
        acceptLoss
          ? 'The present secret key is accepted. Start the service.'
          : 'Nothing was changed. With --accept-loss the present secret key is accepted.',
      );
    });

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
      if (!(await withApp((get) => get(ExAppsRepository).setSecret(appId, secret)))) {
        throw new CommandRefused(`There is no external app "${appId}".`);
      }
      say(`The secret of ${appId} is the one in APP_SECRET.`);
    });
}

function describe({ what, names, remedy }: LostValues): string {
  return [`Lost ${what}:`, ...names.map((name) => `  ${name}`), `  ${remedy}`].join('\n');
}
