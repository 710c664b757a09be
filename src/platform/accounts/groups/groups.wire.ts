import { z } from 'zod';
import type { GroupRow } from './groups.repository.js';

export function toGroupJson(group: GroupRow) {
  const { groupId, displayName, members, disabledMembers, managedBy } = group;
  return {
    id: groupId,
    displayname: displayName,
    usercount: members,
    disabled: disabledMembers,
    // Whether members can be added and removed here.
    canAdd: managedBy === null,
    canRemove: managedBy === null,
    managedBy,
  };
}

export const GroupsAnswer = z.object({ groups: z.array(z.string()) });

export const GroupDetailsAnswer = z.object({
  groups: z.array(
    z.object({
      id: z.string(),
      displayname: z.string(),
      usercount: z.int(),
      disabled: z.int(),
      canAdd: z.boolean(),
      canRemove: z.boolean(),
      managedBy: z
        .enum(['oidc', 'ldap', 'scim'])
        .nullable()
        .describe('Where the group comes from; null for one that was made here.'),
    }),
  ),
  total: z.int().describe('The number of groups on all pages.'),
});

export const MembersAnswer = z.object({ users: z.array(z.string()) });

export const SubAdministratorsAnswer = z.array(z.string()).max(0);
