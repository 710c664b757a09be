import { reactive, watch } from 'vue';

/** One line, a few lines, or a few lines below a large picture. */
export const ROW_LAYOUTS = ['compact', 'list', 'cards'] as const;
export type RowLayout = (typeof ROW_LAYOUTS)[number];

/** Reading preferences, stored in this browser. */
interface Preferences {
  sidebarShown: boolean;
  oldestFirst: boolean;
  hideRead: boolean;
  markReadOnScroll: boolean;
  shortcuts: boolean;
  closedFolderIds: number[];
  /** Leaves feeds without unread articles out of the tree. */
  hideReadFeeds: boolean;
  layout: RowLayout;
  /** Keys chosen for shortcuts, by the name of the shortcut. */
  keys: Record<string, readonly string[]>;
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
  hideReadFeeds: false,
  layout: 'list',
  keys: {},
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
