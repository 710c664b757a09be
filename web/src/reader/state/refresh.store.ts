import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import { refreshFeeds, type RefreshProgress, type RefreshResult } from '../model/refresh-api.js';
import type { Selection } from '../model/selection.js';

/** The running refresh; the service allows one per user at a time. */
export const useRefresh = defineStore('reader-refresh', () => {
  const progress = shallowRef<RefreshProgress | null>(null);
  const isRunning = computed(() => progress.value !== null);

  async function run(selection: Selection): Promise<RefreshResult> {
    progress.value = { done: 0, total: 0 };
    try {
      return await refreshFeeds(selection, (now) => {
        progress.value = now;
      });
    } finally {
      progress.value = null;
    }
  }

  return { progress, isRunning, run };
});
