import { reactive, watch } from 'vue';
import { keepLocalValue, localValue } from '../../host/local-values.js';

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

/** Stored in this browser, unlike preferences: another screen needs other widths. */
export const paneWidths = reactive<PaneWidths>({ tree: null, list: null, ...kept() });

watch(paneWidths, (now) => keepLocalValue(KEPT_AS, now));

function kept(): Partial<PaneWidths> {
  const { tree = null, list = null } = (localValue(KEPT_AS) ?? {}) as Partial<PaneWidths>;
  return { tree: within('tree', tree), list: within('list', list) };
}

function within(pane: keyof PaneWidths, width: unknown): number | null {
  const { min, max } = PANE_LIMITS[pane];
  return typeof width === 'number' ? Math.min(max, Math.max(min, width)) : null;
}
