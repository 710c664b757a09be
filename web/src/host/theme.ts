import { ref } from 'vue';

export type Theme = 'system' | 'light' | 'dark';

const CHOSEN_THEME = 'gatefold-theme';

export const theme = ref<Theme>((localStorage.getItem(CHOSEN_THEME) as Theme | null) ?? 'system');

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(CHOSEN_THEME, chosen);
  showTheme();
}

/** Without the attribute the style sheet follows the system. */
export function showTheme(): void {
  if (theme.value === 'system') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = theme.value;
  }
}
