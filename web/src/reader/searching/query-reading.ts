import { onBeforeUnmount, reactive, ref, shallowRef, watch } from 'vue';
import { checkQuery, type CheckedQuery } from '../model/search-api.js';
import { problemOf, type QueryProblem } from './query-text.js';

const TYPING_PAUSE_MILLISECONDS = 400;

export type QueryReading = ReturnType<typeof useQueryReading>;

/** What the service makes of a query, when typing pauses. */
export function useQueryReading(query: () => string) {
  const checked = shallowRef<CheckedQuery | null>(null);
  const problem = shallowRef<QueryProblem | null>(null);
  /** False: the text has changed since. */
  const isCurrent = ref(false);
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function check(): Promise<void> {
    const { signal } = (asking = new AbortController());
    try {
      checked.value = await checkQuery(query(), signal);
      problem.value = null;
      isCurrent.value = true;
    } catch (failure) {
      // Others are ignored: the search itself says that the service is away.
      if (!signal.aborted) {
        problem.value = problemOf(failure);
        checked.value = null;
      }
    }
  }

  watch(
    query,
    (now) => {
      asking.abort();
      clearTimeout(timer);
      isCurrent.value = false;
      problem.value = null;
      if (now.trim() === '') {
        checked.value = null;
      } else {
        timer = setTimeout(() => void check(), TYPING_PAUSE_MILLISECONDS);
      }
    },
    { immediate: true },
  );
  onBeforeUnmount(() => {
    clearTimeout(timer);
    asking.abort();
  });
  return reactive({ checked, problem, isCurrent });
}
