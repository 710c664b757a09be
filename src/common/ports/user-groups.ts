/** A group of users, as other rooms see it. */
export interface UserGroup {
  readonly groupId: string;
  readonly displayName: string;
  /** User ids, without disabled users. */
  readonly memberIds: readonly string[];
}

/** Port to groups; implemented by `platform/groups`. */
export abstract class UserGroups {
  /** @returns null for an unknown group */
  abstract find(groupId: string): Promise<UserGroup | null>;
}
