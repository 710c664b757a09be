import { computed } from 'vue';
import { pagesPreferences, type Theme } from './pages-preferences.js';

export type { Theme };

export const theme = computed(() => pagesPreferences.theme);

export function chooseTheme(chosen: Theme): void {
  pagesPreferences.theme = chosen;
}

/** Without the attribute, the style sheet follows the system's theme. */
export function showTheme(): void {
  if (theme.value === 'system') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = theme.value;
  }
}
