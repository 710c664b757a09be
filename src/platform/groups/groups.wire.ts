import type { StoredGroup } from './groups.repository.js';

export function toGroupJson({ groupId, displayName, members, disabledMembers }: StoredGroup) {
  return {
    id: groupId,
    displayname: displayName,
    usercount: members,
    disabled: disabledMembers,
    canAdd: true,
    canRemove: true,
  };
}
