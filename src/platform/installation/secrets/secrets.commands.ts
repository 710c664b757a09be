import type { Command } from 'commander';
import { inOwnProcess } from '../../../common/command-line/own-process.js';
import { AS_JSON, show, type AsJson } from '../../../common/command-line/say.js';
import type { OtherApps, WithApp } from '../../../common/command-line/with-app.js';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import { SecretKeyService, type LostValues } from './secret-key.service.js';

const NOTHING_LOST = 'The present secret key opens all sealed values.';

/** The operator's commands for the secret key and values sealed with a lost one. */
export function registerSecretCommands(
  program: Command,
  _withApp: WithApp,
  { withAnyKey }: OtherApps,
): void {
  inOwnProcess(program.command('secrets:reset'))
    .description('list values that the present secret key cannot open, and accept that key')
    .option('--accept-loss', 'discard the listed values; without it nothing is changed')
    .option(...AS_JSON)
    .action(async ({ acceptLoss = false, json }: AsJson & { readonly acceptLoss?: boolean }) => {
      const lost = await withAnyKey((get) =>
        acceptLoss
          ? reset(get(SecretKeyService), get(AdministrationLog))
          : get(SecretKeyService).lost(),
      );
      const outcome = acceptLoss
        ? 'The present secret key is accepted. Start the service.'
        : 'Nothing was changed. With --accept-loss the present secret key is accepted.';
      show(lost, { json }, () =>
        [...(lost.length === 0 ? [NOTHING_LOST] : lost.map(describe)), outcome].join('\n'),
      );
    });
}

async function reset(keys: SecretKeyService, log: AdministrationLog): Promise<LostValues[]> {
  const lost = await keys.reset();
  await log.record({
    kind: 'settings_changed',
    subject: { kind: 'setting', id: 'GATEFOLD_SECRET_KEY' },
    details: `another secret key was accepted; ${lost.length} kinds of values were lost`,
  });
  return lost;
}

function describe({ what, names, remedy }: LostValues): string {
  return [`Lost ${what}:`, ...names.map((name) => `  ${name}`), `  ${remedy}`].join('\n');
}
