import { z } from 'zod';
import type { GroupRow } from './groups.repository.js';

export function toGroupJson({ groupId, displayName, members, disabledMembers }: GroupRow) {
  return {
    id: groupId,
    displayname: displayName,
    usercount: members,
    disabled: disabledMembers,
    canAdd: true,
    canRemove: true,
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
    }),
  ),
});

export const MembersAnswer = z.object({ users: z.array(z.string()) });

export const SubAdministratorsAnswer = z.array(z.string()).max(0);
