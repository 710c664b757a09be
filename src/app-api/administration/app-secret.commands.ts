import type { Command } from 'commander';
import { CommandMisused, CommandRefused } from '../../common/command-line/command-refused.js';
import { say } from '../../common/command-line/say.js';
import { terminal } from '../../common/command-line/terminal.js';
import type { OtherApps, WithApp } from '../../common/command-line/with-app.js';
import { ExAppsService } from '../apps/lifecycle/ex-apps.service.js';
import { chosenSecret, graceSeconds } from './ex-app.input.js';

/** The operator's command for the secret of an external app. */
export function registerAppSecretCommand(
  program: Command,
  withApp: WithApp,
  _others?: OtherApps,
  print: (text: string) => void = say,
): void {
  program
    .command('app_api:app:secret <appid>')
    .description('set the secret of an external app to the one in the variable APP_SECRET')
    .option(
      '--rotate',
      'give the app a new secret, that in APP_SECRET or a generated one, while the old one stays valid for a time',
    )
    .option('--grace <seconds>', 'with --rotate: how long, default 600; 0 ends the old one at once')
    .action(
      async (
        appId: string,
        { rotate, grace }: { readonly rotate?: true; readonly grace?: string },
      ) => {
        if (rotate) {
          print(await rotateSecret(withApp, appId, grace));
          return;
        }
        if (grace !== undefined) {
          throw new CommandMisused('--grace belongs to --rotate.');
        }
        const secret = await terminal().variable('APP_SECRET');
        if (!secret) {
          throw new CommandRefused(
            'Set the variable APP_SECRET to the secret that the app was started with.',
          );
        }
        if (!(await withApp((get) => get(ExAppsService).setSecret(appId, secret)))) {
          throw new CommandRefused(`There is no external app "${appId}".`);
        }
        print(`The secret of ${appId} is the one in APP_SECRET.`);
      },
    );
}

async function rotateSecret(
  withApp: WithApp,
  appId: string,
  grace: string | undefined,
): Promise<string> {
  const seconds = graceSeconds.safeParse(grace);
  if (!seconds.success) {
    throw new CommandMisused(`--grace ${seconds.error.issues[0]?.message ?? ''}.`);
  }
  const given = (await terminal().variable('APP_SECRET')) || undefined;
  const chosen = chosenSecret.optional().safeParse(given);
  if (!chosen.success) {
    throw new CommandRefused(`APP_SECRET ${chosen.error.issues[0]?.message ?? ''}.`);
  }
  const secret = await withApp((get) =>
    get(ExAppsService).rotateSecret(appId, seconds.data, chosen.data),
  );
  const validity =
    seconds.data === 0
      ? 'The previous secret is no longer valid.'
      : `The previous secret is valid for ${seconds.data} more seconds.`;
  return given === undefined
    ? `Restart the process of ${appId} with this in its environment; it is shown only this once:\n  APP_SECRET=${secret}\n${validity}`
    : `Restart the process of ${appId} with the secret in APP_SECRET. ${validity}`;
}
