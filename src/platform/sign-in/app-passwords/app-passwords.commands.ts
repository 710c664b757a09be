import { Option, type Command } from 'commander';
import { AS_JSON, say, showList, type AsJson } from '../../../common/command-line/say.js';
import { wholeNumber } from '../../../common/command-line/whole-number.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import {
  APP_PASSWORD_SCOPES,
  type AppPasswordScope,
} from '../../../common/ports/app-password-scope.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { AppPasswordsService, type AppPassword } from './app-passwords.service.js';

interface NewOptions {
  readonly administration?: true;
  readonly fever?: true;
  readonly scope?: AppPasswordScope;
  readonly days?: number;
}

export function registerAppPasswordCommands(program: Command, withApp: WithApp): void {
  program
    .command('app-password:add <user> <name>')
    .description('create an app password for one program of a user')
    .option('--administration', 'let the program of an administrator change accounts and apps')
    .option('--fever', 'also accept its MD5 key at the Fever API, which is weak')
    .addOption(
      new Option('--scope <scope>', 'what it is accepted for').choices(APP_PASSWORD_SCOPES),
    )
    .option('--days <days>', 'end it after this many days', wholeNumber)
    .action(async (userId: string, name: string, options: NewOptions) => {
      const { administration, fever, scope, days } = options;
      const expiresAt =
        days === undefined ? undefined : new Date(Date.now() + days * DAY_SECONDS * 1000);
      const { id, token } = await withApp((get) =>
        get(AppPasswordsService).add(userId, name, {
          mayAdminister: administration,
          fever,
          scope,
          expiresAt,
        }),
      );
      say(`Created app password ${id} for user "${userId}". It is not shown again:`);
      say(token);
    });

  program
    .command('app-password:list <user>')
    .description('list the app passwords of a user')
    .option(...AS_JSON)
    .action(async (userId: string, options: AsJson) => {
      const found = await withApp((get) => get(AppPasswordsService).list(userId));
      await showList(found, options, COLUMNS, `User "${userId}" has no app passwords.`);
    });

  program
    .command('app-password:revoke <user>')
    .description('revoke an app password')
    .argument('<id>', 'number of the app password, as app-password:list shows it', wholeNumber)
    .action(async (userId: string, id: number) => {
      await withApp((get) => get(AppPasswordsService).revoke(userId, id));
      say(`Revoked app password ${id} of user "${userId}".`);
    });
}

const COLUMNS = {
  ID: ({ id }: AppPassword) => String(id),
  NAME: ({ name }: AppPassword) => name,
  CREATED: ({ createdAt }: AppPassword) => createdAt.toISOString(),
  'LAST USED': ({ lastUsedAt }: AppPassword) => lastUsedAt?.toISOString() ?? 'never',
  FEVER: ({ hasFeverKey }: AppPassword) => (hasFeverKey ? 'yes' : ''),
  SCOPE: ({ scope }: AppPassword) => (scope === 'everything' ? '' : scope),
  EXPIRES: ({ expiresAt }: AppPassword) => expiresAt?.toISOString() ?? '',
};
