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
