import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import { useNotifications } from '../../host/notifications.store.js';

export type ConsentState = 'asked' | 'granted' | 'refused';

/** Whether an external app may use the feed reader for the user. Times are unix seconds. */
export interface AppConsent {
  readonly appId: string;
  readonly name: string;
  readonly state: ConsentState;
  /** Null if the user decided without being asked. */
  readonly asked: number | null;
  /** Null until the user decides. */
  readonly decided: number | null;
  /** Null: never used. */
  readonly lastUsed: number | null;
}

const PATH = '/apps/app_api/api/v1/consents';

/** The user's decisions about external apps. */
export const useAppAccess = defineStore('app-access', () => {
  const notifications = useNotifications();
  const consents = ref<readonly AppConsent[]>([]);
  const loaded = ref(false);

  async function load(): Promise<void> {
    consents.value = await requestOcs<AppConsent[]>(PATH);
    loaded.value = true;
  }

  async function decide(appId: string, state: 'granted' | 'refused'): Promise<void> {
    await requestOcs(`${PATH}/${encodeURIComponent(appId)}`, { method: 'PUT', json: { state } });
    // A decision withdraws the notification that asks for it.
    await Promise.all([load(), notifications.load()]);
  }

  return { consents, loaded, load, decide };
});
