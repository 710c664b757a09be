import type { Command } from 'commander';
import { AS_JSON, say, show, showList, type AsJson } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { GroupsService } from './groups.service.js';

/** The operator's commands for groups of accounts. */
export function registerGroupCommands(program: Command, withApp: WithApp): void {
  program
    .command('group:list [group]')
    .description('list the groups, or the members of one')
    .option(...AS_JSON)
    .action(async (groupId: string | undefined, options: AsJson) => {
      if (groupId !== undefined) {
        const users = await withApp((get) => get(GroupsService).memberIds(groupId, { search: '' }));
        show(users, options, () => users.join('\n') || `Group "${groupId}" has no members.`);
        return;
      }
      const groups = await withApp((get) => get(GroupsService).list({ search: '' }));
      await showList(groups, options, {
        GROUP: (group) => group.groupId,
        NAME: (group) => group.displayName,
        MEMBERS: (group) => String(group.members),
      });
    });

  program
    .command('group:add <group>')
    .description('create a group')
    .option('--display-name <text>', 'name shown to people; the id if not given')
    .action(async (groupId: string, { displayName }: { readonly displayName?: string }) => {
      await withApp((get) => get(GroupsService).add(groupId, displayName));
      say(`Created group "${groupId}".`);
    });

  program
    .command('group:delete <group>')
    .description('delete a group; the accounts of its members remain')
    .action(async (groupId: string) => {
      const folders = await withApp((get) => get(GroupsService).remove(groupId));
      say(`Deleted group "${groupId}".`);
      if (folders.length > 0) {
        say(`Its folders of feeds are removed with it: ${folders.join(', ')}.`);
      }
    });

  program
    .command('group:add-user <group> <user>')
    .description('add a user to a group')
    .action(async (groupId: string, userId: string) => {
      await withApp((get) => get(GroupsService).enter(groupId, userId));
      say(`User "${userId}" is in group "${groupId}".`);
    });

  program
    .command('group:remove-user <group> <user>')
    .description('remove a user from a group')
    .action(async (groupId: string, userId: string) => {
      await withApp((get) => get(GroupsService).leave(undefined, groupId, userId));
      say(`User "${userId}" is not in group "${groupId}".`);
    });
}
