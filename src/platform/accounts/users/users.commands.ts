import type { Command } from 'commander';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { AS_JSON, say, show, showList, type AsJson } from '../../../common/command-line/say.js';
import { terminal } from '../../../common/command-line/terminal.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import type { StorageQuota, StorageUse } from '../../../common/ports/storage-use.js';
import { generatePassword } from '../passwords/new-passwords.service.js';
import { AccountQuotas, writeQuota } from './account-quotas.service.js';
import { HoldsService } from './holds.service.js';
import { UsersService, type ListedUser } from './users.service.js';

interface PasswordOptions {
  /** True without a name of a variable. */
  readonly passwordFromEnv?: string | true;
}

const PASSWORD_FROM_ENV = '--password-from-env [VAR]';
/** As in scripts for Nextcloud, where the option has no value. */
const USUAL_VARIABLE = 'OC_PASS';
const PASSWORD_FROM_ENV_MEANING = `take the password from this environment variable, ${USUAL_VARIABLE} if none is named; without it, ask, or generate one`;

/** Command, description, method of UsersService, and resulting state of the user. */
const CHANGES = [
  ['user:disable', 'disable an account and keep its data', 'disable', 'can no longer log in'],
  [
    'user:confirm-email',
    'let mails for forgotten passwords go to the address of an account',
    'confirmEmail',
    'gets mails for forgotten passwords',
  ],
  ['user:enable', 'enable a disabled account', 'enable', 'can log in again'],
  ['user:promote', 'make a user an administrator', 'makeAdministrator', 'is now an administrator'],
  [
    'user:demote',
    'revoke the administrator rights of a user',
    'unmakeAdministrator',
    'is no longer an administrator',
  ],
] as const;

/** The operator's commands for accounts. */
export function registerUserCommands(program: Command, withApp: WithApp): void {
  program
    .command('user:add [name]')
    .usage('[options] <name>')
    .description('create an account')
    .option(PASSWORD_FROM_ENV, PASSWORD_FROM_ENV_MEANING)
    .option('--admin', 'make the user an administrator')
    .option('--display-name <text>', 'name shown to people; the user name if not given')
    .action(
      async (
        name: string | undefined,
        options: PasswordOptions & { readonly admin?: true; readonly displayName?: string },
        command: Command,
      ) => {
        const { userId, variable } = nameAndVariable(name, options, command);
        const { password, generated } = await choosePassword(variable);
        await withApp((get) =>
          get(UsersService).add({
            userId,
            password,
            displayName: options.displayName,
            isAdmin: options.admin,
          }),
        );
        say(`Created user "${userId}"${options.admin ? ', an administrator' : ''}.`);
        tell(password, generated);
      },
    );

  program
    .command('user:list')
    .description('list all accounts')
    .option(...AS_JSON)
    .action(async (options: AsJson) => {
      const users = await withApp((get) => get(UsersService).listAll());
      await showList(users, options, COLUMNS);
    });

  program
    .command('user:passwd [name]')
    .alias('user:resetpassword')
    .usage('[options] <name>')
    .description('change the password of an account')
    .option(PASSWORD_FROM_ENV, PASSWORD_FROM_ENV_MEANING)
    .action(async (name: string | undefined, options: PasswordOptions, command: Command) => {
      const { userId, variable } = nameAndVariable(name, options, command);
      const { password, generated } = await choosePassword(variable);
      await withApp((get) => get(UsersService).changePassword(userId, password));
      say(`Changed the password of user "${userId}".`);
      tell(password, generated);
    });

  for (const [name, description, change, outcome] of CHANGES) {
    program
      .command(`${name} <name>`)
      .description(description)
      .action(async (userId: string) => {
        await withApp((get) => get(UsersService)[change](userId));
        say(`User "${userId}" ${outcome}.`);
      });
  }

  program
    .command('user:quota <name> [quota]')
    .description('show the storage quota of an account, or set it')
    .addHelpText(
      'after',
      '\nA quota is a size such as "5 GB", a number of bytes, "none" or "default" (as the settings say).',
    )
    .option(...AS_JSON)
    .action(async (userId: string, quota: string | undefined, options: AsJson) => {
      if (quota !== undefined) {
        const set = await withApp((get) => get(AccountQuotas).change(userId, quota));
        say(`The storage quota of user "${userId}" is now ${quotaInWords(set)}.`);
        return;
      }
      const use = await withApp((get) => get(AccountQuotas).show(userId));
      const words = use ? useInWords(use) : 'unknown';
      show(use ?? null, options, () => `The storage quota of user "${userId}" is ${words}.`);
    });

  program
    .command('user:hold <name>')
    .description('remove nothing of an account, neither by a deletion nor by clean-up')
    .option('--until <end>', 'the day on which the hold ends, as 2031-12-31; off: at once')
    .action(async (userId: string, { until }: { readonly until?: string }) => {
      await withApp((get) =>
        until === 'off' ? get(HoldsService).end(userId) : get(HoldsService).hold(userId, until),
      );
      const end = until === undefined ? 'the hold is ended' : until;
      say(
        until === 'off'
          ? `The account of "${userId}" is not held.`
          : `Nothing of the account of "${userId}" is removed until ${end}.`,
      );
    });

  program
    .command('user:delete <name>')
    .description('delete an account and all of its data')
    .option('--yes', 'do not ask')
    .action(async (userId: string, options: { readonly yes?: true }) => {
      if (!options.yes && !(await confirmDeletion(userId))) {
        say('Nothing was deleted.');
        return;
      }
      await withApp((get) => get(UsersService).delete(userId));
      say(`Deleted user "${userId}" and all of their data.`);
    });
}

/** In `--password-from-env ada`, without another name, "ada" is the user. */
function nameAndVariable(
  name: string | undefined,
  { passwordFromEnv }: PasswordOptions,
  command: Command,
) {
  const isName = name === undefined && typeof passwordFromEnv === 'string';
  const userId = isName ? passwordFromEnv : name;
  const isUsual = isName || passwordFromEnv === true;
  return {
    userId: userId ?? command.error("error: missing required argument 'name'"),
    variable: isUsual ? USUAL_VARIABLE : passwordFromEnv,
  };
}

async function choosePassword(
  variable: string | undefined,
): Promise<{ readonly password: string; readonly generated: boolean }> {
  if (variable !== undefined) {
    return { password: await passwordIn(variable), generated: false };
  }
  if (!terminal().isInteractive) {
    return { password: generatePassword(), generated: true };
  }
  const password = await terminal().ask('Password: ', true);
  if (password !== (await terminal().ask('Once more: ', true))) {
    throw new CommandRefused('The passwords do not match.');
  }
  return { password, generated: false };
}

async function passwordIn(variable: string): Promise<string> {
  const password = await terminal().variable(variable);
  if (!password) {
    throw new CommandRefused(`The environment variable ${variable} holds no password.`);
  }
  return password;
}

async function confirmDeletion(userId: string): Promise<boolean> {
  if (!terminal().isInteractive) {
    throw new CommandRefused(`Deleting user "${userId}" cannot be undone; confirm with --yes.`);
  }
  return askYes(`Delete user "${userId}" and all of their data?`);
}

function quotaInWords(quota: StorageQuota): string {
  return quota === 'default' ? 'as the settings say' : writeQuota(quota);
}

function useInWords({ quota, quotaBytes, usedBytes }: StorageUse): string {
  const limit = writeQuota(quotaBytes ?? 'none');
  const origin = quota === 'default' ? ' by the settings' : '';
  return `${limit}${origin}; ${writeQuota(usedBytes)} are used`;
}

const COLUMNS = {
  USER: ({ userId }: ListedUser) => userId,
  'DISPLAY NAME': ({ displayName }: ListedUser) => displayName,
  RIGHTS: ({ isAdmin, disabled, leaveAskedSeconds, leavesSeconds, ...held }: ListedUser) =>
    [
      isAdmin ? 'admin' : '',
      disabled ? 'disabled' : '',
      leavesSeconds === null ? '' : `leaves ${isoTime(leavesSeconds)}`,
      leaveAskedSeconds !== null && leavesSeconds === null ? 'asks to be deleted' : '',
      holdInWords(held),
    ]
      .filter(Boolean)
      .join(', ') || '-',
  'LAST LOGIN': ({ lastLoginSeconds: seconds }: ListedUser) =>
    seconds === 0 ? 'never' : isoTime(seconds),
};

function holdInWords({
  heldSeconds,
  heldUntilSeconds: until,
}: Pick<ListedUser, 'heldSeconds' | 'heldUntilSeconds'>): string {
  const end = until === null ? '' : ` until ${isoTime(until).slice(0, 10)}`;
  return heldSeconds === null ? '' : `held${end}`;
}

const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString();

function tell(password: string, generated: boolean): void {
  if (generated) {
    say(`The password is ${password} (it is not shown again).`);
  }
}

/** @returns true only for "y" and "yes" */
async function askYes(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await terminal().ask(`${question} [y/N] `)).trim());
}
