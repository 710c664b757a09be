import { createPinia } from 'pinia';

/** One for the bar, the toasts, and what scripts of the app ask the host to show. */
export const pinia = createPinia();
