/** People who belong together, as the other rooms know them. */
export interface UserGroup {
  readonly groupId: string;
  readonly displayName: string;
  /** By user id; those who are disabled left out. */
  readonly memberIds: readonly string[];
}

/** Port to the groups of accounts; answered by `platform/groups`. */
export abstract class UserGroups {
  /** @returns null when there is no such group */
  abstract find(groupId: string): Promise<UserGroup | null>;
}
