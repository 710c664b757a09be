import { createPinia } from 'pinia';

/** Shared by the top bar, the toasts and the globals for scripts of the app. */
export const pinia = createPinia();
