import { BookOpen, Eclipse, Monitor, Moon, Sun } from '@lucide/vue';
import type { Component } from 'vue';
import type { Theme } from '../host/theme.js';

/** Every theme with its sign; its name is `t('shell.theme.…')`. */
export const THEMES: readonly { readonly theme: Theme; readonly icon: Component }[] = [
  { theme: 'system', icon: Monitor },
  { theme: 'light', icon: Sun },
  { theme: 'sepia', icon: BookOpen },
  { theme: 'dark', icon: Moon },
  { theme: 'black', icon: Eclipse },
];
