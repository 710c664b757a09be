import { InvalidArgumentError, type Command } from 'commander';
import { FeedDoctor } from '../doctor/feed-doctor.service.js';
import { shownAddress } from '../doctor/shown-address.js';
import { FeedsService } from '../reader/feeds/feeds.service.js';
import { FoldersService } from '../reader/folders/folders.service.js';
import { UpdaterService } from '../updater/updater.service.js';
import { UserAccounts } from '../../common/ports/user-accounts.js';
import { addressReportText, sourceReportText } from '../doctor/doctor-report.js';
import { say, table } from '../../common/command-line/say.js';
import type { Get, WithApp } from '../../common/command-line/with-app.js';

interface DoctorOptions {
  readonly retry?: true;
  readonly source?: true;
  readonly showQueries?: true;
  readonly json?: true;
}

/** The operator's commands for feeds, named as the field names them. */
export function registerFeedCommands(program: Command, withApp: WithApp): void {
  registerDoctor(program, withApp);
  registerUpdater(program, withApp);
  registerFeeds(program, withApp);
  registerFolders(program, withApp);
}

function registerDoctor(program: Command, withApp: WithApp): void {
  program
    .command('feed:doctor <id-or-url>')
    .description('explain how a feed is doing and why, or what would happen with an address')
    .option('--retry', 'fetch the feed now, then explain')
    .option('--source', 'the number is that of a source, not of a feed')
    .option('--show-queries', 'show the queries of addresses, which may hold secrets')
    .option('--json', 'for programs')
    .action(async (patient: string, options: DoctorOptions) => {
      const { showQueries = false, json } = options;
      if (!/^\d+$/.test(patient)) {
        const report = await withApp((get) => get(FeedDoctor).examineAddress(patient, showQueries));
        say(json ? JSON.stringify(report, null, 2) : addressReportText(report));
        return;
      }
      const report = await withApp(async (get) => {
        const doctor = get(FeedDoctor);
        const id = Number(patient);
        const sourceId = options.source ? id : await doctor.sourceOfFeed(id);
        if (options.retry) {
          await doctor.retry(sourceId);
        }
        return doctor.examineSource(sourceId, showQueries);
      });
      say(json ? JSON.stringify(report, null, 2) : sourceReportText(report));
    });
}

function registerUpdater(program: Command, withApp: WithApp): void {
  program
    .command('news:updater:before-update')
    .description('remove folders and feeds that were marked for deletion')
    .action(() => withApp((get) => get(UpdaterService).beforeUpdate()));

  program
    .command('news:updater:after-update')
    .description('remove old read items, and what nobody refers to any more')
    .argument('[keep]', 'read items kept per feed, instead of the setting', wholeNumber)
    .option('--without-grace', 'also items of whose change some client has not heard yet')
    .action((keepReadItems: number | undefined, { withoutGrace }: { withoutGrace?: true }) =>
      withApp((get) =>
        get(UpdaterService).afterUpdate({
          ...(keepReadItems === undefined ? {} : { keepReadItems }),
          grace: withoutGrace ? 'none' : 'until-known',
        }),
      ),
    );

  program
    .command('news:updater:update-feed')
    .description('fetch a feed of a user now')
    .argument('<feed-id>', 'number of the feed', wholeNumber)
    .argument('<user>')
    .action((feedId: number, userId: string) =>
      withApp((get) => get(UpdaterService).updateFeed(userId, feedId)),
    );

  program
    .command('news:updater:update-user')
    .description('fetch all feeds of a user now')
    .argument('<user>')
    .action((userId: string) =>
      withUser(withApp, userId, async (get) => {
        const { feeds } = await get(FeedsService).list(userId);
        for (const { id } of feeds) {
          await get(UpdaterService).updateFeed(userId, id);
        }
        say(`Updated ${feeds.length} feeds of user "${userId}".`);
      }),
    );
}

function registerFeeds(program: Command, withApp: WithApp): void {
  program
    .command('news:feed:list')
    .description('list the feeds of a user')
    .argument('<user>')
    .option('--json', 'for programs')
    .action(async (userId: string, { json }: { readonly json?: true }) => {
      const { feeds } = await withUser(withApp, userId, (get) => get(FeedsService).list(userId));
      const rows = feeds.map((feed) => [
        String(feed.id),
        feed.folderId === null ? '-' : String(feed.folderId),
        String(feed.unreadCount),
        feed.lastUpdateError === null ? '-' : String(feed.updateErrorCount),
        feed.title,
        shownAddress(feed.url),
      ]);
      say(
        json
          ? JSON.stringify(feeds, null, 2)
          : table([['FEED', 'FOLDER', 'UNREAD', 'ERRORS', 'TITLE', 'ADDRESS'], ...rows]),
      );
    });

  program
    .command('news:feed:add')
    .description('subscribe a user to a feed')
    .argument('<user>')
    .argument('<url>')
    .option('--folder <id>', 'number of the folder to put it into', wholeNumber)
    .action((userId: string, url: string, { folder }: { readonly folder?: number }) =>
      withUser(withApp, userId, async (get) => {
        const { feed } = await get(FeedsService).subscribe(userId, url, folder ?? null);
        say(`User "${userId}" follows feed ${feed.id}, "${feed.title}".`);
      }),
    );

  program
    .command('news:feed:delete')
    .description('end a subscription of a user, and delete its items')
    .argument('<user>')
    .argument('<feed-id>', 'number of the feed', wholeNumber)
    .action((userId: string, feedId: number) =>
      withUser(withApp, userId, async (get) => {
        await get(FeedsService).unsubscribe(userId, feedId);
        say(`User "${userId}" follows feed ${feedId} no more.`);
      }),
    );
}

function registerFolders(program: Command, withApp: WithApp): void {
  program
    .command('news:folder:list')
    .description('list the folders of a user')
    .argument('<user>')
    .option('--json', 'for programs')
    .action(async (userId: string, { json }: { readonly json?: true }) => {
      const folders = await withUser(withApp, userId, (get) => get(FoldersService).list(userId));
      const rows = folders.map(({ id, name }) => [String(id), name]);
      say(json ? JSON.stringify(folders, null, 2) : table([['FOLDER', 'NAME'], ...rows]));
    });

  program
    .command('news:folder:add')
    .description('create a folder for a user')
    .argument('<user>')
    .argument('<name>')
    .action((userId: string, name: string) =>
      withUser(withApp, userId, async (get) => {
        const folder = await get(FoldersService).create(userId, name);
        say(`Created folder ${folder.id}, "${folder.name}".`);
      }),
    );

  program
    .command('news:folder:delete')
    .description('delete a folder of a user with its feeds and their items')
    .argument('<user>')
    .argument('<folder-id>', 'number of the folder', wholeNumber)
    .action((userId: string, folderId: number) =>
      withUser(withApp, userId, async (get) => {
        await get(FoldersService).remove(userId, folderId);
        say(`Deleted folder ${folderId} of user "${userId}".`);
      }),
    );
}

/** Without the check a misspelled name would become a reader of its own. */
async function withUser<Result>(
  withApp: WithApp,
  userId: string,
  work: (get: Get) => Promise<Result>,
): Promise<Result> {
  return withApp(async (get) => {
    await get(UserAccounts).requireActive(userId);
    return work(get);
  });
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
