import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { requestJson } from '../../host/http.js';

/** A provider of a task type; see docs/operations/external-apps.md "Administration". */
export interface TaskProvider {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
}

export interface TaskType {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  /** The provider that an administrator chose; null: the one that was registered first. */
  readonly chosen: string | null;
  /** The provider that gets the tasks; null without any. */
  readonly preferred: string | null;
  readonly providers: readonly TaskProvider[];
  readonly scheduled: number;
  readonly running: number;
  readonly successful_today: number;
  readonly failed_today: number;
  readonly mean_seconds: number | null;
}

export interface TypeChange {
  readonly enabled?: boolean;
  readonly providerId?: string | null;
}

const ROOT = '/apps/app_api/task-types';

const addressOf = ({ id }: TaskType) => `${ROOT}/${encodeURIComponent(id)}`;

export const useTaskTypes = defineStore('admin-task-types', () => {
  const types = ref<readonly TaskType[]>([]);
  const loaded = ref(false);
  /** Answers that were on their way during a change are outdated. */
  let changes = 0;

  const provided = computed(() => types.value.filter(({ providers }) => providers.length > 0));
  const unprovided = computed(() => types.value.filter(({ providers }) => providers.length === 0));

  async function load(): Promise<void> {
    const before = changes;
    const answer = await requestJson<{ types: TaskType[] }>(ROOT);
    if (before === changes) {
      types.value = answer.types;
      loaded.value = true;
    }
  }

  async function change(type: TaskType, json: TypeChange): Promise<void> {
    changes += 1;
    const changed = await requestJson<TaskType>(addressOf(type), { method: 'PUT', json });
    changes += 1;
    types.value = types.value.map((known) => (known.id === changed.id ? changed : known));
  }

  /** @returns the number of cancelled tasks */
  async function cancelWaiting(type: TaskType): Promise<number> {
    const address = `${addressOf(type)}/cancel-scheduled`;
    const { cancelled } = await requestJson<{ cancelled: number }>(address, {
      method: 'POST',
      json: {},
    });
    await load();
    return cancelled;
  }

  return { types, provided, unprovided, loaded, load, change, cancelWaiting };
});
