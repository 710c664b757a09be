import { reactive, watch } from 'vue';

/** Widths chosen for this screen, in pixels; null: the default of the style sheet. */
interface PaneWidths {
  tree: number | null;
  list: number | null;
}

const KEPT_AS = 'gatefold-panes';

export const PANE_LIMITS = {
  tree: { min: 180, max: 480 },
  list: { min: 240, max: 900 },
} as const;

/** Kept in this browser, unlike preferences: another screen needs other widths. */
export const paneWidths = reactive<PaneWidths>({ tree: null, list: null, ...kept() });

watch(paneWidths, (now) => localStorage.setItem(KEPT_AS, JSON.stringify(now)));

function kept(): Partial<PaneWidths> {
  try {
    const { tree, list } = JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}') as PaneWidths;
    return { tree: within('tree', tree), list: within('list', list) };
  } catch {
    return {};
  }
}

function within(pane: keyof PaneWidths, width: unknown): number | null {
  const { min, max } = PANE_LIMITS[pane];
  return typeof width === 'number' ? Math.min(max, Math.max(min, width)) : null;
}
