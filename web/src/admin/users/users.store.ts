import { defineStore } from 'pinia';
import { requestOcs } from '../../host/http.js';
import { usePagedList } from '../paged-list.js';
import { quotaText } from './quota.js';

export interface User {
  readonly id: string;
  readonly displayName: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly enabled: boolean;
  readonly hasSecondFactor: boolean;
  /** `default`, `none`, or a size such as `5 GB`. */
  readonly quota: string;
  readonly usedBytes: number;
  /** Null without a limit. */
  readonly quotaBytes: number | null;
  /** Unix seconds; null: never. */
  readonly lastLogin: number | null;
}

export interface NewUser {
  readonly id: string;
  /** Empty: the user is invited by mail. */
  readonly password: string;
  readonly displayName: string;
  readonly email: string;
  readonly isAdmin: boolean;
}

interface UserJson {
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
}

const ROOT = '/cloud/users';
const AT_ONCE = 100;
const ADMINISTRATORS = 'admin';

/** Accounts that match the search, page by page. */
export const useUsers = defineStore('admin-users', () => {
  const list = usePagedList('', AT_ONCE, async (search: string, offset, limit) => {
    const [rows, total] = await Promise.all([
      usersOfPage(search, offset, limit),
      countUsers(search),
    ]);
    return { rows, total };
  });

  /** Reloads after a change, whether it succeeded or failed. */
  async function loadIfPossible(): Promise<void> {
    await list.load().catch(() => {});
  }

  async function add({ id, password, displayName, email, isAdmin }: NewUser): Promise<void> {
    await requestOcs(ROOT, {
      method: 'POST',
      json: {
        userid: id,
        password,
        ...(displayName !== '' && { displayName }),
        ...(email !== '' && { email }),
        groups: isAdmin ? [ADMINISTRATORS] : [],
      },
    });
    await loadIfPossible();
  }

  /** Saves the differing fields one by one; fields saved before a failure stay saved. */
  async function edit(user: User, wanted: User): Promise<void> {
    try {
      if (wanted.displayName !== user.displayName) {
        await setField(user.id, 'displayname', wanted.displayName);
      }
      if (wanted.email !== user.email) {
        await setField(user.id, 'email', wanted.email);
      }
      if (wanted.quota !== user.quota) {
        await setField(user.id, 'quota', wanted.quota);
      }
      if (wanted.isAdmin !== user.isAdmin) {
        await requestOcs(`${addressOf(user.id)}/groups`, {
          method: wanted.isAdmin ? 'POST' : 'DELETE',
          json: { groupid: ADMINISTRATORS },
        });
      }
    } finally {
      await loadIfPossible();
    }
  }

  async function setPassword(id: string, password: string): Promise<void> {
    await setField(id, 'password', password);
  }

  async function inviteAgain(id: string): Promise<void> {
    await requestOcs(`${addressOf(id)}/welcome`, { method: 'POST' });
  }

  /** Optimistic: shown at once and undone on failure. */
  async function setEnabled(id: string, enabled: boolean): Promise<void> {
    const show = (shown: boolean) =>
      list.replaceRows((rows) =>
        rows.map((user) => (user.id === id ? { ...user, enabled: shown } : user)),
      );
    show(enabled);
    try {
      await requestOcs(`${addressOf(id)}/${enabled ? 'enable' : 'disable'}`, { method: 'PUT' });
    } catch (error) {
      show(!enabled);
      throw error;
    }
  }

  async function resetSecondFactor(id: string): Promise<void> {
    await requestOcs(`${addressOf(id)}/secondfactors`, { method: 'DELETE' });
    await loadIfPossible();
  }

  async function remove(id: string): Promise<void> {
    await requestOcs(addressOf(id), { method: 'DELETE' });
    await loadIfPossible();
  }

  return {
    ...list,
    add,
    edit,
    setPassword,
    inviteAgain,
    setEnabled,
    resetSecondFactor,
    remove,
  };
});

const addressOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

async function setField(id: string, key: string, value: string): Promise<void> {
  await requestOcs(addressOf(id), { method: 'PUT', json: { key, value } });
}

async function usersOfPage(search: string, offset: number, limit: number): Promise<User[]> {
  const { users } = await requestOcs<{ users: Record<string, UserJson> }>(`${ROOT}/details`, {
    query: { search, limit, offset },
  });
  return Object.values(users).map((user) => ({
    id: user.id,
    displayName: user.displayname,
    email: user.email ?? '',
    isAdmin: user.groups.includes(ADMINISTRATORS),
    enabled: user.enabled,
    hasSecondFactor: user.secondFactor,
    quota:
      typeof user.quota.assigned === 'number'
        ? quotaText(user.quota.assigned)
        : user.quota.assigned,
    usedBytes: user.quota.used,
    quotaBytes: user.quota.quota < 0 ? null : user.quota.quota,
    lastLogin: user.lastLogin === 0 ? null : user.lastLogin / 1000,
  }));
}

/** @param search empty: all users */
export async function countUsers(search = ''): Promise<number> {
  const path = '/apps/gatefold/api/v1/users/count';
  return (await requestOcs<{ count: number }>(path, { query: { search } })).count;
}
