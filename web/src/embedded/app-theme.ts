const NAMES = {
  system: 'default',
  light: 'light',
  sepia: 'light',
  dark: 'dark',
  black: 'dark',
} as const;

/**
 * Front ends of apps read and observe the theme on the body element.
 *
 * @param theme one of ours
 */
export function tellTheme(theme: keyof typeof NAMES): void {
  const { body } = document;
  const name = NAMES[theme];
  for (const other of Object.values(NAMES)) {
    body.toggleAttribute(`data-theme-${other}`, other === name);
  }
  body.dataset['themes'] = name;
}
