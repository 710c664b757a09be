import type { Command } from 'commander';
import type { ListedSession } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { say, table } from '../../common/command-line/say.js';
import type { WithApp } from '../../common/command-line/with-app.js';

/** The operator's commands for sessions of browsers. */
export function registerSessionCommands(program: Command, withApp: WithApp): void {
  program
    .command('session:list <user>')
    .description('list the browsers in which a user is logged in')
    .action(async (userId: string) => {
      const found = await withApp((get) => get(SessionsService).list(userId));
      say(found.length === 0 ? `User "${userId}" is logged in nowhere.` : asTable(found));
    });

  program
    .command('session:revoke <user>')
    .description('log a user out of all browsers; app passwords go on')
    .action(async (userId: string) => {
      await withApp((get) => get(SessionsService).revokeAll(userId));
      say(`User "${userId}" has to log in again everywhere.`);
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
