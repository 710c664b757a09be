import type { Command } from 'commander';
import { say } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';
import { AnnouncementsService } from './announcements.service.js';

/** The operator's commands for the message to all users. */
export function registerAnnouncementCommands(program: Command, withApp: WithApp): void {
  program
    .command('announcement:send <text>')
    .description('notify all users, instead of a former announcement')
    .action(async (text: string) => {
      const users = await withApp((get) => get(AnnouncementsService).announce(text));
      say(`${users} users are notified.`);
    });

  program
    .command('announcement:withdraw')
    .description('remove the announcement from all users')
    .action(async () => {
      await withApp((get) => get(AnnouncementsService).withdraw());
      say('Nobody has an announcement any more.');
    });
}
