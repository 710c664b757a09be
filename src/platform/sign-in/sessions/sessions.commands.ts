import type { Command } from 'commander';
import { AS_JSON, say, showList, type AsJson } from '../../../common/command-line/say.js';
import { wholeNumber } from '../../../common/command-line/whole-number.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import type { ListedSession } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

/** The operator's commands for sessions of browsers. */
export function registerSessionCommands(program: Command, withApp: WithApp): void {
  program
    .command('session:list <user>')
    .description('list the sessions of a user')
    .option(...AS_JSON)
    .action(async (userId: string, options: AsJson) => {
      const found = await withApp((get) => get(SessionsService).list(userId));
      await showList(found, options, COLUMNS, `User "${userId}" has no sessions.`);
    });

  program
    .command('session:revoke <user>')
    .description('end one or all sessions of a user; app passwords remain valid')
    .argument('[id]', 'number of the session, as session:list shows it', wholeNumber)
    .action(async (userId: string, id: number | undefined) => {
      await withApp((get) =>
        id === undefined
          ? get(SessionsService).revokeAll(userId)
          : get(SessionsService).revoke(userId, id),
      );
      say(
        `User "${userId}" has been logged out of ${id === undefined ? 'all browsers' : 'that browser'}.`,
      );
    });
}

const COLUMNS = {
  ID: ({ id }: ListedSession) => String(id),
  ADDRESS: ({ address }: ListedSession) => address,
  SINCE: ({ createdSeconds }: ListedSession) => shownTime(createdSeconds),
  'LAST SEEN': ({ lastSeenSeconds }: ListedSession) => shownTime(lastSeenSeconds),
  BROWSER: ({ userAgent }: ListedSession) => userAgent,
};

function shownTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
