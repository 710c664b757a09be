import type { Command } from 'commander';
import type { ListedSession } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { say, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';

/** The operator's commands for sessions of browsers. */
export function registerSessionCommands(program: Command, withApp: WithApp): void {
  program
    .command('session:list <user>')
    .description('list the sessions of a user')
    .action(async (userId: string) => {
      const found = await withApp((get) => get(SessionsService).list(userId));
      say(found.length === 0 ? `User "${userId}" has no sessions.` : asTable(found));
    });

  program
    .command('session:revoke <user>')
    .description('end all sessions of a user; app passwords remain valid')
    .action(async (userId: string) => {
      await withApp((get) => get(SessionsService).revokeAll(userId));
      say(`User "${userId}" has been logged out of all browsers.`);
    });
}

function asTable(found: readonly ListedSession[]): string {
  const rows = found.map(({ id, address, userAgent, createdSeconds, lastSeenSeconds }) => [
    String(id),
    address,
    shownTime(createdSeconds),
    shownTime(lastSeenSeconds),
    userAgent,
  ]);
  return table([['ID', 'ADDRESS', 'SINCE', 'LAST SEEN', 'BROWSER'], ...rows]);
}

function shownTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
