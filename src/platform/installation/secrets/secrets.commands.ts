import type { Command } from 'commander';
import { SecretKeyService, type LostValues } from './secret-key.service.js';
import { AS_JSON, show, type AsJson } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';

const NOTHING_LOST = 'The present secret key opens all sealed values.';

/** The operator's commands for the secret key and values sealed with a lost one. */
export function registerSecretCommands(program: Command, withAppAndAnyKey: WithApp): void {
  program
    .command('secrets:reset')
    .description('list values that the present secret key cannot open, and accept that key')
    .option('--accept-loss', 'discard the listed values; without it nothing is changed')
    .option(...AS_JSON)
    .action(async ({ acceptLoss = false, json }: AsJson & { readonly acceptLoss?: boolean }) => {
      const lost = await withAppAndAnyKey((get) =>
        acceptLoss ? get(SecretKeyService).reset() : get(SecretKeyService).lost(),
      );
      const outcome = acceptLoss
        ? 'The present secret key is accepted. Start the service.'
        : 'Nothing was changed. With --accept-loss the present secret key is accepted.';
      show(lost, { json }, () =>
        [...(lost.length === 0 ? [NOTHING_LOST] : lost.map(describe)), outcome].join('\n'),
      );
    });
}

function describe({ what, names, remedy }: LostValues): string {
  return [`Lost ${what}:`, ...names.map((name) => `  ${name}`), `  ${remedy}`].join('\n');
}
