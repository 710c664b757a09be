import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestJson } from '../../host/http.js';

/** Durable work of one kind; see docs/app-api.md "Administration". */
export interface Queue {
  readonly kind: string;
  readonly queued: number;
  readonly retrying: number;
  readonly active: number;
  /** Given up: dead letters. */
  readonly failed: number;
  readonly oldest_seconds: number | null;
}

/** What providers were asked to do, by how far it is. */
export interface TaskCounts {
  readonly queued: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

/** Something that was given up on. Times are unix seconds. */
export interface DeadLetter {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly error: string;
  readonly attempts: number;
  readonly sent_at: number;
  readonly given_up_at: number;
}

export interface WatchedTask {
  readonly id: number;
  readonly kind: string;
  readonly app_id: string;
  readonly provider: string;
  readonly user_id: string;
  readonly state: 'uploading' | 'queued' | 'running' | 'done' | 'failed';
  readonly progress: number | null;
  readonly error: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

const ROOT = '/apps/app_api';

const addressOf = ({ kind, id }: DeadLetter) =>
  `${ROOT}/dead-letters/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;

export const useWork = defineStore('admin-work', () => {
  const queues = ref<readonly Queue[]>([]);
  const counts = ref<TaskCounts>({ queued: 0, running: 0, done: 0, failed: 0 });
  const deadLetters = ref<readonly DeadLetter[]>([]);
  const tasks = ref<readonly WatchedTask[]>([]);
  const loaded = ref(false);
  /** An answer from before a change would take back what is shown of it. */
  let changes = 0;

  async function load(): Promise<void> {
    const before = changes;
    const [overview, letters, recent] = await Promise.all([
      requestJson<{ queues: Queue[]; tasks: TaskCounts }>(`${ROOT}/queues`),
      requestJson<{ dead_letters: DeadLetter[] }>(`${ROOT}/dead-letters`),
      requestJson<{ tasks: WatchedTask[] }>(`${ROOT}/tasks`, { query: { limit: 50 } }),
    ]);
    if (before !== changes) {
      return;
    }
    queues.value = overview.queues;
    counts.value = overview.tasks;
    deadLetters.value = letters.dead_letters;
    tasks.value = recent.tasks;
    loaded.value = true;
  }

  async function retry(letter: DeadLetter): Promise<void> {
    await withoutLetter(letter, () =>
      requestJson(`${addressOf(letter)}/retry`, { method: 'POST', json: {} }),
    );
  }

  async function drop(letter: DeadLetter): Promise<void> {
    await withoutLetter(letter, () => requestJson(addressOf(letter), { method: 'DELETE' }));
  }

  /** Gone at once, and back when it fails. */
  async function withoutLetter(letter: DeadLetter, work: () => Promise<unknown>): Promise<void> {
    changes += 1;
    const before = deadLetters.value;
    deadLetters.value = before.filter(({ id }) => id !== letter.id);
    try {
      await work();
    } catch (error) {
      deadLetters.value = before;
      throw error;
    } finally {
      changes += 1;
      await load().catch(() => {});
    }
  }

  return { queues, counts, deadLetters, tasks, loaded, load, retry, drop };
});
