import type { Command } from 'commander';
import { say } from '../../common/command-line/say.js';
import { wholeNumber } from '../../common/command-line/whole-number.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { withUser } from '../../common/command-line/with-user.js';
import { FeedsService } from '../reader/feeds/feeds.service.js';
import { UpdateCycle } from './update-cycle.js';
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
