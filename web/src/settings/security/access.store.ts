import { defineStore } from 'pinia';
import { ref, type Ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import { undoing } from '../../host/undoing.js';

/** A browser session of the user. */
export interface LoggedInBrowser {
  readonly id: number;
  readonly current: boolean;
  readonly userAgent: string;
  readonly address: string;
  /** Unix seconds. */
  readonly lastSeen: number;
}

/** Where an app password is accepted. */
export type AppPasswordScope = 'everything' | 'reader' | 'reader-read' | 'files' | 'files-read';

export interface AppPassword {
  readonly id: number;
  readonly name: string;
  /** Whether the Fever API accepts its key. */
  readonly fever: boolean;
  readonly scope: AppPasswordScope;
  /** Unix seconds; null: until it is revoked. */
  readonly expires: number | null;
  /** Unix seconds; null: never used. */
  readonly lastUsed: number | null;
}

interface AppPasswordRights {
  /** Whether the Fever API accepts its key. Default false. */
  readonly fever?: boolean;
  /** Default: everything. */
  readonly scope?: AppPasswordScope;
  /** Unix seconds. */
  readonly expires?: number | undefined;
}

export interface NewAppPassword {
  readonly id: number;
  readonly name: string;
  readonly fever: boolean;
  readonly loginName: string;
  /** Not shown again. */
  readonly token: string;
}

/** The user's sessions and app passwords. */
export const useAccess = defineStore('access', () => {
  const browsers = ref<readonly LoggedInBrowser[]>([]);
  const appPasswords = ref<readonly AppPassword[]>([]);
  const loaded = ref(false);

  async function load(): Promise<void> {
    const [sessions] = await Promise.all([
      requestOcs<LoggedInBrowser[]>('/core/sessions'),
      loadAppPasswords(),
    ]);
    browsers.value = sessions.toSorted(
      (one, other) => Number(other.current) - Number(one.current) || other.lastSeen - one.lastSeen,
    );
    loaded.value = true;
  }

  async function loadAppPasswords(): Promise<void> {
    appPasswords.value = await requestOcs<AppPassword[]>('/core/apppasswords');
  }

  async function logOutBrowser(id: number): Promise<void> {
    await keepOnly(browsers, (browser) => browser.id !== id, `/core/sessions/${id}`);
  }

  async function logOutOthers(): Promise<void> {
    await keepOnly(browsers, ({ current }) => current, '/core/sessions');
  }

  async function addAppPassword(
    name: string,
    rights: AppPasswordRights = {},
  ): Promise<NewAppPassword> {
    const added = await requestOcs<NewAppPassword>('/core/apppasswords', {
      method: 'POST',
      json: { name, ...rights },
    });
    await loadAppPasswords();
    return added;
  }

  async function revokeAppPassword(id: number): Promise<void> {
    await keepOnly(appPasswords, (one) => one.id !== id, `/core/apppasswords/${id}`);
  }

  return {
    browsers,
    appPasswords,
    loaded,
    load,
    loadAppPasswords,
    logOutBrowser,
    logOutOthers,
    addAppPassword,
    revokeAppPassword,
  };
});

/** Deletes the others. Optimistic: shown at once and undone when the service refuses. */
async function keepOnly<T>(
  list: Ref<readonly T[]>,
  stays: (one: T) => boolean,
  path: string,
): Promise<void> {
  const before = list.value;
  list.value = before.filter(stays);
  await undoing(requestOcs(path, { method: 'DELETE' }), () => (list.value = before));
}
