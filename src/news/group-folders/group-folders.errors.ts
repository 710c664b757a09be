import { conflict, invalid, notFound } from '../../common/errors/domain-error.js';

export class GroupNotFound extends notFound(
  (groupId: string) => `There is no group "${groupId}".`,
) {}

/** Also for people who may not change it. */
export class GroupFolderNotFound extends notFound(
  (folderId: number) => `There is no folder ${folderId} of a group that you may change.`,
) {}

export class GroupFeedNotFound extends notFound(
  (feedId: number) => `The folder of the group has no feed ${feedId}.`,
) {}

export class GroupFeedExists extends conflict('The folder of the group has this feed already.') {}

export class GroupFolderExists extends conflict(
  (name: string) => `The group has a folder named "${name}" already.`,
) {}

export class EditorsAreMembers extends invalid(
  (userId: string) =>
    `"${userId}" is no member of the group, so cannot be an editor of its folder.`,
) {}

export class NoCredentials extends invalid(
  'This feed has no credentials. Remove it, and add it again with them.',
) {}

/** Of a list, whose feeds are added without credentials. */
export class AddressHasCredentials extends invalid(
  'The address has credentials: add this feed by itself.',
) {}
