import { preferenceArea } from './preferences.js';

export type Theme = 'system' | 'light' | 'dark' | 'sepia' | 'black';

interface PagesPreferences {
  /** A tag such as `en`; empty: the browser's. */
  language: string;
  theme: Theme;
}

const DEFAULTS: PagesPreferences = { language: '', theme: 'system' };

export const pagesPreferences = preferenceArea<PagesPreferences>('pages', DEFAULTS);
