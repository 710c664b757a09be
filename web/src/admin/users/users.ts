import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from '../../host/http.js';

/** Somebody with an account. */
export interface User {
  readonly id: string;
  readonly displayName: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly enabled: boolean;
  /** Unix seconds; null before the first time. */
  readonly lastLogin: number | null;
}

export interface NewUser {
  readonly id: string;
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
  /** Unix milliseconds; 0 before the first time. */
  readonly lastLogin: number;
}

const ROOT = '/cloud/users';
const AT_ONCE = 100;
const ADMINISTRATORS = 'admin';

/** The accounts that match what is searched for, page by page. */
export const useUsers = defineStore('admin-users', () => {
  const users = ref<readonly User[]>([]);
  const loaded = ref(false);
  const hasMore = ref(false);
  let searched = '';
  let latest = 0;

  async function load(search = searched): Promise<void> {
    searched = search;
    latest += 1;
    const asked = latest;
    const found = await page(search, 0);
    if (asked === latest) {
      users.value = found;
      hasMore.value = found.length === AT_ONCE;
      loaded.value = true;
    }
  }

  /** After a change that has succeeded or failed by itself. */
  async function loadIfPossible(): Promise<void> {
    await load().catch(() => {});
  }

  async function loadMore(): Promise<void> {
    const asked = latest;
    const found = await page(searched, users.value.length);
    if (asked === latest) {
      users.value = [...users.value, ...found];
      hasMore.value = found.length === AT_ONCE;
    }
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

  /** Writes down what differs; what was written before something failed stays. */
  async function change(user: User, wanted: User): Promise<void> {
    try {
      if (wanted.displayName !== user.displayName) {
        await edit(user.id, 'displayname', wanted.displayName);
      }
      if (wanted.email !== user.email) {
        await edit(user.id, 'email', wanted.email);
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
    await edit(id, 'password', password);
  }

  /** Shown as done at once, and taken back when it fails. */
  async function setEnabled(id: string, enabled: boolean): Promise<void> {
    const show = (shown: boolean) => {
      users.value = users.value.map((user) =>
        user.id === id ? { ...user, enabled: shown } : user,
      );
    };
    show(enabled);
    try {
      await requestOcs(`${addressOf(id)}/${enabled ? 'enable' : 'disable'}`, { method: 'PUT' });
    } catch (error) {
      show(!enabled);
      throw error;
    }
  }

  async function remove(id: string): Promise<void> {
    await requestOcs(addressOf(id), { method: 'DELETE' });
    users.value = users.value.filter((user) => user.id !== id);
  }

  return { users, loaded, hasMore, load, loadMore, add, change, setPassword, setEnabled, remove };
});

const addressOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

async function edit(id: string, key: string, value: string): Promise<void> {
  await requestOcs(addressOf(id), { method: 'PUT', json: { key, value } });
}

async function page(search: string, offset: number): Promise<User[]> {
  const { users } = await requestOcs<{ users: Record<string, UserJson> }>(`${ROOT}/details`, {
    query: { search, limit: AT_ONCE, offset },
  });
  return Object.values(users).map((user) => ({
    id: user.id,
    displayName: user.displayname,
    email: user.email ?? '',
    isAdmin: user.groups.includes(ADMINISTRATORS),
    enabled: user.enabled,
    lastLogin: user.lastLogin === 0 ? null : user.lastLogin / 1000,
  }));
}
