import { InvalidArgumentError, type Command } from 'commander';
import { stat } from 'node:fs/promises';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { ProgressBar } from '../../common/command-line/progress-bar.js';
import { say, table } from '../../common/command-line/say.js';
import type { Get, WithApp } from '../../common/command-line/with-app.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { UserAccounts } from '../../common/ports/user-accounts.js';
import { NextcloudImportService, type ImportTasks } from './nextcloud-import.service.js';
import { planImport, type ImportPlan } from './plan-import.js';

interface ImportOptions {
  readonly userMap: ReadonlyMap<string, string>;
  readonly dryRun?: true;
  readonly newIds?: true;
  readonly createUsers?: true;
}

/** The operator's command for migrating from Nextcloud News. */
export function registerImportNextcloudCommand(program: Command, withApp: WithApp): void {
  inOwnProcess(program.command('news:import-nextcloud <file>'))
    .description('take over the users of Nextcloud News from an export (docs/migration.md)')
    .option(
      '--user-map <old=new>',
      'name a user differently here; may be repeated',
      mapUser,
      new Map(),
    )
    .option(
      '--create-users',
      'create accounts that are missing, with passwords that are printed once',
    )
    .option('--new-ids', 'give folders and feeds new ids; clients then have to synchronise anew')
    .option('--dry-run', 'check and count, write nothing')
    .action(async (file: string, options: ImportOptions) => {
      const fileBytes = await sizeOf(file);
      const plan = await readPlan(file, fileBytes, options);
      await withApp(async (get) => {
        const tasks = await get(NextcloudImportService).check(plan, { newIds: !!options.newIds });
        const missing = await missingUsers(get, tasks);
        describe(plan, tasks);
        if (missing.length > 0 && !options.createUsers) {
          throw new CommandRefused(
            `There is no user ${missing.map((id) => `"${id}"`).join(', ')}. Nothing was imported. ` +
              'Add --create-users to create missing accounts, or name existing ones with --user-map.',
          );
        }
        missing.forEach((userId) => get(UserAccounts).assertUserId(userId));
        if (options.dryRun) {
          say('Nothing was written.');
          return;
        }
        await createUsers(get, missing);
        await run(get, plan, tasks, fileBytes, !!options.newIds);
        await get(AdministrationLog).record({
          kind: 'feed_changed',
          details: `imported ${tasks.toImport.length} users of Nextcloud News`,
        });
      });
    });
}

async function readPlan(
  file: string,
  fileBytes: number,
  { userMap }: ImportOptions,
): Promise<ImportPlan> {
  const bar = new ProgressBar('checking ');
  try {
    return await planImport(file, { userMap, onProgress: (bytes) => bar.show(bytes, fileBytes) });
  } finally {
    bar.end();
  }
}

async function run(
  get: Get,
  plan: ImportPlan,
  { toImport }: ImportTasks,
  fileBytes: number,
  newIds: boolean,
): Promise<void> {
  const bar = new ProgressBar('importing');
  try {
    await get(NextcloudImportService).run(
      plan,
      toImport,
      { newIds },
      {
        onBytesRead: (bytes) => bar.show(bytes, fileBytes),
        onUser: ({ userId, folders, feeds, items, newItems }) => {
          bar.end();
          say(
            `Imported user "${userId}": ${folders} folders, ${feeds} feeds, ${items} items` +
              `${newItems > 0 ? `, and ${newItems} that are new` : ''}.`,
          );
        },
      },
    );
  } finally {
    bar.end();
  }
}

function describe({ notes }: ImportPlan, { toImport, done }: ImportTasks): void {
  const rows = toImport.map((user) => [
    user.oldUserId,
    user.userId,
    ...[
      user.folders.length,
      user.feeds.length,
      user.itemCount,
      user.unreadCount,
      user.starredCount,
    ].map(String),
  ]);
  if (rows.length > 0) {
    say(table([['FROM', 'TO', 'FOLDERS', 'FEEDS', 'ITEMS', 'UNREAD', 'STARRED'], ...rows]));
  }
  done.forEach(({ userId }) => say(`User "${userId}" was imported before and is left alone.`));
  notes.forEach(say);
}

async function missingUsers(get: Get, { toImport }: ImportTasks): Promise<string[]> {
  const existing = new Set(await get(UserAccounts).allUserIds());
  return toImport.map(({ userId }) => userId).filter((userId) => !existing.has(userId));
}

async function createUsers(get: Get, userIds: readonly string[]): Promise<void> {
  for (const userId of userIds) {
    const password = await get(UserAccounts).create(userId);
    say(`Created user "${userId}". The password is ${password} – it is shown only this once.`);
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file);
  if (found.isFile()) {
    return found.size;
  }
  throw new CommandRefused('The export must be a file: it is read twice.');
}

function mapUser(pair: string, known: ReadonlyMap<string, string>): Map<string, string> {
  const [, from, to] = /^(.+)=([^=]+)$/.exec(pair) ?? [];
  if (from === undefined || to === undefined) {
    throw new InvalidArgumentError('It must look like OLD=NEW.');
  }
  return new Map(known).set(from, to);
}
