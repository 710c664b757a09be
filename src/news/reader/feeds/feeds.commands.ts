import type { Command } from 'commander';
import { AS_JSON, say, showList, type AsJson } from '../../../common/command-line/say.js';
import { wholeNumber } from '../../../common/command-line/whole-number.js';
import type { Get, WithApp } from '../../../common/command-line/with-app.js';
import { withUser } from '../../../common/command-line/with-user.js';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import { FetchSettings } from '../../sources/fetch/fetch-settings.provider.js';
import { shownAddress } from '../../sources/shown-address.js';
import { readerOf } from '../delivery/reader-of.js';
import { FoldersService } from '../folders/folders.service.js';
import { FeedsService } from './feeds.service.js';

export function registerFeedCommands(program: Command, withApp: WithApp): void {
  registerFeeds(program, withApp);
  registerFolders(program, withApp);
}

function registerFeeds(program: Command, withApp: WithApp): void {
  program
    .command('news:feed:list <user>')
    .description('list the feeds of a user')
    .option(...AS_JSON)
    .action(async (userId: string, options: AsJson) => {
      const { feeds } = await withUser(withApp, userId, async (get) =>
        get(FeedsService).list(await readerOf(get, userId)),
      );
      await showList(feeds, options, {
        FEED: ({ id }) => String(id),
        FOLDER: ({ folderId }) => String(folderId ?? '-'),
        UNREAD: ({ unreadCount }) => String(unreadCount),
        ERRORS: (feed) => (feed.lastUpdateError === null ? '-' : String(feed.updateErrorCount)),
        TITLE: ({ title }) => title,
        ADDRESS: ({ url }) => shownAddress(url),
      });
    });

  program
    .command('news:feed:add <user> <url>')
    .description('subscribe a user to a feed')
    .option('--folder <id>', 'number of the folder to put it into', wholeNumber)
    .action((userId: string, url: string, { folder }: { readonly folder?: number }) =>
      withUser(withApp, userId, async (get) => {
        const reader = await readerOf(get, userId);
        await get(FetchSettings).assertThoseOfService();
        const { feed } = await get(FeedsService).subscribe(reader, url, folder ?? null);
        await recorded(get, userId, feed.id, 'subscribed');
        say(`User "${userId}" follows feed ${feed.id}, "${feed.title}".`);
      }),
    );

  program
    .command('news:feed:delete <user>')
    .description('end a subscription of a user, and delete its items')
    .argument('<feed-id>', 'number of the feed', wholeNumber)
    .action((userId: string, feedId: number) =>
      withUser(withApp, userId, async (get) => {
        const reader = await readerOf(get, userId);
        await get(FeedsService).unsubscribe(reader, feedId);
        await recorded(get, userId, feedId, 'subscription ended');
        say(`User "${userId}" no longer follows feed ${feedId}.`);
      }),
    );
}

function registerFolders(program: Command, withApp: WithApp): void {
  program
    .command('news:folder:list <user>')
    .description('list the folders of a user')
    .option(...AS_JSON)
    .action(async (userId: string, options: AsJson) => {
      const folders = await withUser(withApp, userId, async (get) =>
        get(FoldersService).list(await readerOf(get, userId)),
      );
      await showList(folders, options, {
        FOLDER: ({ id }) => String(id),
        NAME: ({ name }) => name,
      });
    });

  program
    .command('news:folder:add <user> <name>')
    .description('create a folder for a user')
    .action((userId: string, name: string) =>
      withUser(withApp, userId, async (get) => {
        const reader = await readerOf(get, userId);
        const folder = await get(FoldersService).create(reader, name);
        await recorded(get, userId, undefined, `folder "${folder.name}" created`);
        say(`Created folder ${folder.id}, "${folder.name}".`);
      }),
    );

  program
    .command('news:folder:delete <user>')
    .description('delete a folder of a user with its feeds and their items')
    .argument('<folder-id>', 'number of the folder', wholeNumber)
    .action((userId: string, folderId: number) =>
      withUser(withApp, userId, async (get) => {
        const reader = await readerOf(get, userId);
        await get(FoldersService).remove(reader, folderId);
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
