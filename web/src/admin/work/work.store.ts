import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestJson } from '../../host/http.js';
import { usePagedList } from '../model/paged-list.js';

/** A job queue; see docs/operations/external-apps.md "Administration". */
export interface Queue {
  readonly kind: string;
  readonly queued: number;
  readonly retrying: number;
  readonly active: number;
  /** Dead letters. */
  readonly failed: number;
  readonly oldest_seconds: number | null;
}

/** Tasks of providers by state, old and new kinds together. */
export interface TaskCounts {
  readonly queued: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

/** A delivery that failed after all retries. Times are unix seconds. */
export interface DeadLetter {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly error: string;
  readonly attempts: number;
  readonly sent_at: number;
  readonly given_up_at: number;
}

interface Overview {
  readonly queues: Queue[];
  readonly tasks: TaskCounts;
  readonly task_processing: {
    readonly scheduled: number;
    readonly running: number;
    readonly successful: number;
    readonly failed: number;
  };
}

const ROOT = '/apps/app_api';

const addressOf = ({ kind, id }: DeadLetter) =>
  `${ROOT}/dead-letters/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;

const LETTERS_AT_ONCE = 50;

export const useWork = defineStore('admin-work', () => {
  const queues = ref<readonly Queue[]>([]);
  const counts = ref<TaskCounts>({ queued: 0, running: 0, done: 0, failed: 0 });
  const loaded = ref(false);

  async function load(): Promise<void> {
    const {
      queues: found,
      tasks: older,
      task_processing: processing,
    } = await requestJson<Overview>(`${ROOT}/queues`);
    queues.value = found;
    counts.value = {
      queued: older.queued + processing.scheduled,
      running: older.running + processing.running,
      done: older.done + processing.successful,
      failed: older.failed + processing.failed,
    };
    loaded.value = true;
  }

  return { queues, counts, loaded, load };
});

/** Dead letters, newest first, page by page. */
export const useDeadLetters = defineStore('admin-dead-letters', () => {
  const list = usePagedList(null, LETTERS_AT_ONCE, async (_all, offset, limit) => {
    const found = await requestJson<{ total: number; dead_letters: DeadLetter[] }>(
      `${ROOT}/dead-letters`,
      { query: { offset, limit } },
    );
    return { rows: found.dead_letters, total: found.total };
  });

  async function retry(letter: DeadLetter): Promise<void> {
    await withoutLetter(letter, () =>
      requestJson(`${addressOf(letter)}/retry`, { method: 'POST', json: {} }),
    );
  }

  async function drop(letter: DeadLetter): Promise<void> {
    await withoutLetter(letter, () => requestJson(addressOf(letter), { method: 'DELETE' }));
  }

  /** Optimistic: removed at once and restored on failure. */
  async function withoutLetter(letter: DeadLetter, work: () => Promise<unknown>): Promise<void> {
    const before = list.rows.value;
    list.replaceRows((rows) => rows.filter(({ id }) => id !== letter.id));
    try {
      await work();
    } catch (error) {
      list.replaceRows(() => before);
      throw error;
    } finally {
      await list.load().catch(() => {});
    }
  }

  return { ...list, retry, drop };
});
