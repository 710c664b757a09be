import type { Command } from 'commander';
import { say } from '../../common/command-line/say.js';
import { terminal } from '../../common/command-line/terminal.js';
import { wholeNumber } from '../../common/command-line/whole-number.js';
import type { Get, WithApp } from '../../common/command-line/with-app.js';
import { withUser } from '../../common/command-line/with-user.js';
import { readerOf } from '../reader/delivery/reader-of.js';
import { FeedsService } from '../reader/feeds/feeds.service.js';
import { FetchSettings } from '../sources/fetch/fetch-settings.provider.js';
import { UpdateCycle } from './update-cycle.service.js';
import { UpdaterService } from './updater.service.js';

/** The operator's commands for the update cycle. */
export function registerUpdaterCommands(program: Command, withApp: WithApp): void {
  program
    .command('news:updater:before-update')
    .description('remove folders and feeds that are marked as deleted')
    .action(() => withApp((get) => get(UpdateCycle).beforeUpdate()));

  program
    .command('news:updater:after-update')
    .description('remove old read items and unreferenced data')
    .argument('[keep]', 'read items to keep per feed; overrides the setting', wholeNumber)
    .option('--without-grace', 'also items whose last change some client has not synchronised yet')
    .action((keepReadItems: number | undefined, { withoutGrace }: { withoutGrace?: true }) =>
      withApp((get) =>
        get(UpdateCycle).afterUpdate({
          ...(keepReadItems === undefined ? {} : { keepReadItems }),
          grace: withoutGrace ? 'none' : 'until-known',
        }),
      ),
    );

  program
    .command('news:updater:update-feed')
    .description('fetch a feed of a user now')
    .argument('<feed-id>', 'id of the feed', wholeNumber)
    .argument('<user>')
    .action((feedId: number, userId: string) =>
      withApp((get) => update(get, userId, [{ id: feedId }])),
    );

  program
    .command('news:updater:update-user <user>')
    .description('fetch all feeds of a user now')
    .action((userId: string) =>
      withUser(withApp, userId, async (get) => {
        const { feeds } = await get(FeedsService).list(await readerOf(get, userId));
        await update(get, userId, feeds);
      }),
    );
}

/** Reports failing feeds with their errors, and sets the exit status. */
async function update(
  get: Get,
  userId: string,
  feeds: readonly { readonly id: number; readonly title?: string }[],
): Promise<void> {
  await get(FetchSettings).assertThoseOfService();
  const count = { updated: 0, unchanged: 0, superseded: 0, failed: 0, resting: 0 };
  for (const { id, title } of feeds) {
    terminal().signal.throwIfAborted();
    const result = await get(UpdaterService).updateFeed(userId, id);
    count[result.outcome] += 1;
    if (result.outcome === 'failed') {
      say(`Feed ${id}${title ? `, "${title}"` : ''}: ${result.message}`);
      terminal().exitCode = 1;
    }
  }
  const { failed, resting } = count;
  const updated = feeds.length - failed - resting;
  say(
    `Updated ${updated} feeds of user "${userId}", ${failed} failed, ${resting} rest as their publishers ask.`,
  );
}
