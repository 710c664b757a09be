import { Option, type Command } from 'commander';
import {
  APP_PASSWORD_SCOPES,
  type AppPasswordScope,
} from '../../common/auth/app-password-scope.js';
import { wholeNumber } from '../../common/command-line/whole-number.js';
import { AppPasswordsService, type AppPassword } from './app-passwords.service.js';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { say, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';

const DAY_MS = 86_400_000;

interface NewOptions {
  readonly administration?: true;
  readonly fever?: true;
  readonly scope?: AppPasswordScope;
  readonly days?: number;
}

/** The operator's commands for app passwords. */
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
      const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * DAY_MS);
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
    .action(async (userId: string) => {
      const found = await withApp((get) => get(AppPasswordsService).list(userId));
      say(found.length === 0 ? `User "${userId}" has no app passwords.` : asTable(found));
    });

  program
    .command('app-password:revoke <user> <id>')
    .description('revoke an app password')
    .action(async (userId: string, id: string) => {
      await withApp((get) => get(AppPasswordsService).revoke(userId, parseId(id)));
      say(`Revoked app password ${id} of user "${userId}".`);
    });
}

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new CommandRefused(
      `The id of an app password is a number, as app-password:list shows it, but is "${text}".`,
    );
  }
  return Number(text);
}

function asTable(found: readonly AppPassword[]): string {
  const rows = found.map(({ id, name, hasFeverKey, createdAt, lastUsedAt, scope, expiresAt }) => [
    String(id),
    name,
    createdAt.toISOString(),
    lastUsedAt?.toISOString() ?? 'never',
    hasFeverKey ? 'yes' : '',
    scope === 'everything' ? '' : scope,
    expiresAt?.toISOString() ?? '',
  ]);
  return table([['ID', 'NAME', 'CREATED', 'LAST USED', 'FEVER', 'SCOPE', 'EXPIRES'], ...rows]);
}
