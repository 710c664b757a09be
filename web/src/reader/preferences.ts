import { reactive, watch } from 'vue';

/** Reading preferences, stored in this browser. */
interface Preferences {
  sidebarShown: boolean;
  oldestFirst: boolean;
  hideRead: boolean;
  markReadOnScroll: boolean;
  shortcuts: boolean;
  closedFolderIds: number[];
  /** Target language of translations; empty: the page's language. */
  translateTo: string;
}

const KEPT_AS = 'gatefold-reader';

const DEFAULTS: Preferences = {
  sidebarShown: true,
  oldestFirst: false,
  hideRead: false,
  markReadOnScroll: false,
  shortcuts: true,
  closedFolderIds: [],
  translateTo: '',
};

export const preferences = reactive<Preferences>({ ...DEFAULTS, ...kept() });

watch(preferences, (now) => localStorage.setItem(KEPT_AS, JSON.stringify(now)));

function kept(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}
