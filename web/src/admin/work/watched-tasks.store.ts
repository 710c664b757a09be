import { defineStore } from 'pinia';
import { requestJson } from '../../host/http.js';
import { usePagedList } from '../model/paged-list.js';

/** `queued` and `done` are states of older kinds. */
export type TaskState =
  | 'uploading'
  | 'queued'
  | 'scheduled'
  | 'running'
  | 'done'
  | 'successful'
  | 'failed'
  | 'cancelled';

/** A task of any user; see docs/operations/external-apps.md "Administration". */
export interface WatchedTask {
  readonly id: number;
  /** `task_processing`, or an older kind, which does not have the optional fields. */
  readonly kind: string;
  readonly type?: string;
  readonly app_id: string | null;
  readonly provider: string | null;
  readonly user_id: string | null;
  readonly consumer?: string;
  readonly state: TaskState;
  /** Per cent. */
  readonly progress: number | null;
  readonly error: string;
  readonly attempts?: number;
  /** Unix seconds, like the others. */
  readonly lease_until?: number | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

/** Filter of the tasks; empty: all. `app` and `user` match prefixes. */
export interface TaskWish {
  readonly state: string;
  readonly type: string;
  readonly app: string;
  readonly user: string;
}

export const ALL_TASKS: TaskWish = { state: '', type: '', app: '', user: '' };

const ROOT = '/apps/app_api/tasks';
const AT_ONCE = 50;

/** Newest first, page by page. */
export const useWatchedTasks = defineStore('admin-watched-tasks', () => {
  const list = usePagedList(ALL_TASKS, AT_ONCE, async (wish: TaskWish, offset, limit) => {
    const found = await requestJson<{ total: number; tasks: WatchedTask[] }>(ROOT, {
      query: { ...wish, offset, limit },
    });
    return { rows: found.tasks, total: found.total };
  });

  /** @returns whether it had not ended */
  async function cancel({ id }: WatchedTask): Promise<boolean> {
    const { cancelled } = await requestJson<{ cancelled: boolean }>(`${ROOT}/${id}/cancel`, {
      method: 'POST',
      json: {},
    });
    await list.load();
    return cancelled;
  }

  return { ...list, cancel };
});
