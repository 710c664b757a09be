import { defineStore } from 'pinia';
import { requestOcs } from '../../host/http.js';
import { undoing } from '../../host/undoing.js';
import { usePagedList, type ListPage } from '../model/paged-list.js';
import { ADMINISTRATORS, setMember } from '../model/groups.store.js';

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
}

export interface NewUser {
  readonly id: string;
  /** Empty: the user is invited by mail. */
  readonly password: string;
  readonly displayName: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly groups: readonly string[];
  /** `default`, `none`, or a number of bytes. */
  readonly quota: string;
}

/** Filter and order of the list. */
export interface UserWish {
  readonly search: string;
  /** Id of a group; empty: all. */
  readonly group: string;
  readonly state: 'all' | 'enabled' | 'disabled' | 'administrators';
  readonly order: 'name' | 'id' | 'login';
}

export const ALL_USERS: UserWish = { search: '', group: '', state: 'all', order: 'name' };

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
const OURS = '/apps/gatefold/api/v1/users';
const AT_ONCE = 100;

/** Accounts that match the search, page by page. */
export const useUsers = defineStore('admin-users', () => {
  const list = usePagedList(ALL_USERS, AT_ONCE, usersOfPage);

  /** Reloads after a change, whether it succeeded or failed. */
  async function loadIfPossible(): Promise<void> {
    await list.load().catch(() => {});
  }

  /** The check comes first: invalid fields are refused before asking for the administrator's password. */
  async function add({ id, isAdmin, groups, quota, ...words }: NewUser): Promise<void> {
    const json = { userid: id, ...words };
    await requestOcs(`${OURS}/check`, { method: 'POST', json });
    await requestOcs(ROOT, {
      method: 'POST',
      json: { ...json, quota, groups: isAdmin ? [...groups, ADMINISTRATORS] : groups },
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
        await setMember(ADMINISTRATORS, user.id, wanted.isAdmin);
      }
      for (const group of new Set([...user.groups, ...wanted.groups])) {
        const isMember = wanted.groups.includes(group);
        if (isMember !== user.groups.includes(group)) {
          await setMember(group, user.id, isMember);
        }
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
    const path = `${addressOf(id)}/${enabled ? 'enable' : 'disable'}`;
    await undoing(requestOcs(path, { method: 'PUT' }), () => show(!enabled));
  }

  async function resetSecondFactor(id: string): Promise<void> {
    await requestOcs(`${addressOf(id)}/secondfactors`, { method: 'DELETE' });
    await loadIfPossible();
  }

  /** @param withPrograms revokes all app passwords, too */
  async function logOut(id: string, withPrograms: boolean): Promise<void> {
    const json = { appPasswords: withPrograms };
    await requestOcs(`${OURS}/${encodeURIComponent(id)}/sessions`, { method: 'DELETE', json });
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
    logOut,
    remove,
  };
});

const addressOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

async function setField(id: string, key: string, value: string): Promise<void> {
  await requestOcs(addressOf(id), { method: 'PUT', json: { key, value } });
}

export async function usersOfPage(
  wish: UserWish,
  offset: number,
  limit: number,
): Promise<ListPage<User>> {
  const query = { ...wish, limit, offset };
  const [{ users: ids }, { users }, total] = await Promise.all([
    // An object does not keep an order of ids that are numbers.
    requestOcs<{ users: string[] }>(ROOT, { query }),
    requestOcs<{ users: Record<string, UserJson> }>(`${ROOT}/details`, { query }),
    countUsers(wish),
  ]);
  return { rows: ids.flatMap((id) => users[id] ?? []).map(toUser), total };
}

function toUser(user: UserJson): User {
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
  };
}

export async function countUsers({ search, group, state } = ALL_USERS): Promise<number> {
  const query = { search, group, state };
  return (await requestOcs<{ count: number }>(`${OURS}/count`, { query })).count;
}
