import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from './http.js';

/** A notification; see docs/app-api.md. */
export interface HostNotification {
  readonly notification_id: number;
  readonly app: string;
  readonly datetime: string;
  readonly subject: string;
  readonly message: string;
  readonly link: string;
  readonly icon: string;
}

const ROOT = '/apps/notifications/api/v2/notifications';

export const useNotifications = defineStore('notifications', () => {
  const notifications = ref<readonly HostNotification[]>([]);

  async function load(): Promise<void> {
    notifications.value = await requestOcs<HostNotification[]>(ROOT);
  }

  async function dismiss(id: number): Promise<void> {
    await requestOcs(`${ROOT}/${id}`, { method: 'DELETE' });
    notifications.value = notifications.value.filter(
      ({ notification_id }) => notification_id !== id,
    );
  }

  async function dismissAll(): Promise<void> {
    await requestOcs(ROOT, { method: 'DELETE' });
    notifications.value = [];
  }

  return { notifications, load, dismiss, dismissAll };
});
