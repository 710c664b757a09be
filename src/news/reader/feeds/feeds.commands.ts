import type { Command } from 'commander';
import { say, table } from '../../../common/command-line/say.js';
import { wholeNumber } from '../../../common/command-line/whole-number.js';
import type { Get, WithApp } from '../../../common/command-line/with-app.js';
import { withUser } from '../../../common/command-line/with-user.js';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import { shownAddress } from '../../sources/shown-address.js';
import { FetchSettings } from '../../updater/fetch-settings.js';
import { FoldersService } from '../folders/folders.service.js';
import { FeedsService } from './feeds.service.js';

/** The operator's commands for feeds and folders. */
export function registerFeedCommands(program: Command, withApp: WithApp): void {
  registerFeeds(program, withApp);
  registerFolders(program, withApp);
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
        await get(FetchSettings).assertThoseOfService();
        const { feed } = await get(FeedsService).subscribe(userId, url, folder ?? null);
        await recorded(get, userId, feed.id, 'subscribed');
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
        await recorded(get, userId, feedId, 'subscription ended');
        say(`User "${userId}" no longer follows feed ${feedId}.`);
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
        await recorded(get, userId, undefined, `folder "${folder.name}" created`);
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
        await recorded(get, userId, undefined, `folder ${folderId} deleted`);
        say(`Deleted folder ${folderId} of user "${userId}".`);
      }),
    );
}

/** Adds a change of a user's feeds by the operator to the audit log. */
async function recorded(
  get: Get,
  userId: string,
  feedId: number | undefined,
  details: string,
): Promise<void> {
  const subject =
    feedId === undefined ? undefined : ({ kind: 'feed', id: String(feedId) } as const);
  await get(AdministrationLog).record({ kind: 'feed_changed', userId, subject, details });
}
