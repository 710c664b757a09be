import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from './http.js';

/** A top menu entry of an external app. */
export interface AppMenuEntry {
  readonly id: string;
  readonly app: string;
  readonly name: string;
  /** Path including the installation's prefix. */
  readonly href: string;
  readonly icon: string;
}

export const useAppMenu = defineStore('app-menu', () => {
  /** Id of the entry whose page this document shows in a frame; else empty. */
  const shown = ref('');
  const entries = ref<readonly AppMenuEntry[]>([]);

  async function load(): Promise<void> {
    entries.value = await requestOcs<AppMenuEntry[]>('/core/navigation/apps');
  }

  return { entries, shown, load };
});
