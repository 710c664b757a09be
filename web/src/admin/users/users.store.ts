import { defineStore } from 'pinia';
import { requestOcs } from '../../host/http.js';
import { undoing } from '../../host/undoing.js';
import { setMember } from '../model/groups.store.js';
import { usePagedList, type ListPage } from '../model/paged-list.js';
import {
  ADMINISTRATORS,
  changesOf,
  toUser,
  type User,
  type UserJson,
} from '../model/user-rules.js';

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

  async function add(user: NewUser): Promise<void> {
    await createUser(user);
    await loadIfPossible();
  }

  /** Saves the differing fields one by one; fields saved before a failure stay saved. */
  async function edit(user: User, wanted: User): Promise<void> {
    try {
      for (const change of changesOf(user, wanted)) {
        await ('group' in change
          ? setMember(change.group, user.id, change.isMember)
          : setField(user.id, change.field, change.value));
      }
    } finally {
      await loadIfPossible();
    }
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

  async function remove(id: string): Promise<void> {
    await requestOcs(addressOf(id), { method: 'DELETE' });
    await loadIfPossible();
  }

  return {
    ...list,
    add,
    edit,
    setEnabled,
    resetSecondFactor,
    remove,
  };
});

const addressOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

/** The check comes first: invalid fields are refused before asking for the administrator's password. */
async function createUser({ id, isAdmin, groups, quota, ...words }: NewUser): Promise<void> {
  const json = { userid: id, ...words };
  await requestOcs(`${OURS}/check`, { method: 'POST', json });
  await requestOcs(ROOT, {
    method: 'POST',
    json: { ...json, quota, groups: isAdmin ? [...groups, ADMINISTRATORS] : groups },
  });
}

export const setPassword = (id: string, password: string): Promise<void> =>
  setField(id, 'password', password);

export const inviteAgain = (id: string): Promise<void> =>
  requestOcs(`${addressOf(id)}/welcome`, { method: 'POST' });

/** @param withPrograms revokes all app passwords, too */
export async function logOut(id: string, withPrograms: boolean): Promise<void> {
  const json = { appPasswords: withPrograms };
  await requestOcs(`${OURS}/${encodeURIComponent(id)}/sessions`, { method: 'DELETE', json });
}

/** Answers the owner who asks for the deletion of the account. */
export async function decideLeaving(id: string, isGranted: boolean, reason: string): Promise<void> {
  const json = { delete: isGranted, reason };
  await requestOcs(`${OURS}/${encodeURIComponent(id)}/leaving`, { method: 'POST', json });
}

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

export async function countUsers({ search, group, state } = ALL_USERS): Promise<number> {
  const query = { search, group, state };
  return (await requestOcs<{ count: number }>(`${OURS}/count`, { query })).count;
}
