import { preferenceArea } from './preferences.js';

export type Theme = 'system' | 'light' | 'dark' | 'sepia' | 'black';

interface PagesPreferences {
  /** A tag such as `en`; empty: the browser's. */
  language: string;
  theme: Theme;
}

const DEFAULTS: PagesPreferences = { language: '', theme: 'system' };

/** Former keys in this browser's storage. */
const FORMERLY = { language: 'gatefold-language', theme: 'gatefold-theme' } as const;

export const pagesPreferences = preferenceArea<PagesPreferences>('pages', DEFAULTS, {
  read: () => ({
    language: localStorage.getItem(FORMERLY.language) ?? '',
    theme: (localStorage.getItem(FORMERLY.theme) as Theme | null) ?? 'system',
  }),
  forget: () => Object.values(FORMERLY).forEach((key) => localStorage.removeItem(key)),
});
