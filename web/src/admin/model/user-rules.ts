/** Group of administrators; it cannot be renamed or deleted. */
export const ADMINISTRATORS = 'admin';

export interface User {
  readonly id: string;
  readonly displayName: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly enabled: boolean;
  /** Ids, without the administrators' group. */
  readonly groups: readonly string[];
  readonly hasSecondFactor: boolean;
  /** `default`, `none`, or a number of bytes. */
  readonly quota: string;
  readonly usedBytes: number;
  /** Null without a limit. */
  readonly quotaBytes: number | null;
  /** Unix seconds; null: never. */
  readonly lastLogin: number | null;
  /** When the owner asked for the deletion; null: not. */
  readonly leaveAskedSeconds: number | null;
  /** When that happens; null: not, or an administrator decides. */
  readonly leavesSeconds: number | null;
  /** Since when nothing of the account is removed; null: not held. */
  readonly heldSeconds: number | null;
  /** When the hold ends; null: not by itself. */
  readonly heldUntilSeconds: number | null;
}

export interface UserJson {
  readonly id: string;
  readonly displayname: string;
  readonly email: string | null;
  readonly groups: readonly string[];
  readonly enabled: boolean;
  readonly secondFactor: boolean;
  readonly quota: {
    readonly used: number;
    /** Negative without a limit. */
    readonly quota: number;
    readonly assigned: number | 'default' | 'none';
  };
  /** Unix milliseconds; 0: never. */
  readonly lastLogin: number;
  /** A process of the version before tells neither these nor the next. */
  readonly leaveAskedSeconds?: number | null;
  readonly leavesSeconds?: number | null;
  readonly heldSeconds?: number | null;
  readonly heldUntilSeconds?: number | null;
}

export function toUser(user: UserJson): User {
  return {
    id: user.id,
    displayName: user.displayname,
    email: user.email ?? '',
    isAdmin: user.groups.includes(ADMINISTRATORS),
    groups: user.groups.filter((group) => group !== ADMINISTRATORS),
    enabled: user.enabled,
    hasSecondFactor: user.secondFactor,
    quota: String(user.quota.assigned),
    usedBytes: user.quota.used,
    quotaBytes: user.quota.quota < 0 ? null : user.quota.quota,
    lastLogin: user.lastLogin === 0 ? null : user.lastLogin / 1000,
    leaveAskedSeconds: user.leaveAskedSeconds ?? null,
    leavesSeconds: user.leavesSeconds ?? null,
    heldSeconds: user.heldSeconds ?? null,
    heldUntilSeconds: user.heldUntilSeconds ?? null,
  };
}

type UserChange =
  | { readonly field: 'displayname' | 'email' | 'quota'; readonly value: string }
  | { readonly group: string; readonly isMember: boolean };

/** The fields and groups that differ, in the order in which they are saved. */
export function changesOf(user: User, wanted: User): readonly UserChange[] {
  const fields = [
    { field: 'displayname', before: user.displayName, value: wanted.displayName },
    { field: 'email', before: user.email, value: wanted.email },
    { field: 'quota', before: user.quota, value: wanted.quota },
  ] as const;
  const before = groupsOf(user);
  const after = groupsOf(wanted);
  return [
    ...fields
      .filter((one) => one.before !== one.value)
      .map(({ field, value }) => ({ field, value })),
    ...[...new Set([ADMINISTRATORS, ...before, ...after])]
      .map((group) => ({ group, isMember: after.includes(group) }))
      .filter(({ group, isMember }) => isMember !== before.includes(group)),
  ];
}

const groupsOf = ({ isAdmin, groups }: User) => (isAdmin ? [ADMINISTRATORS, ...groups] : groups);
