import { createPinia } from 'pinia';
import { createApp } from 'vue';
import ToastList from '../parts/ToastList.vue';
import { showTheme } from '../host/theme.js';
import TopBar from '../shell/TopBar.vue';
import '../styles/tokens.css';
import '../styles/base.css';
import { loadTexts } from '../texts/i18n.js';

/*
 * The page of an external app: the bar of the host at the top, everything below belongs to the app.
 */
showTheme();
// Not awaited: scripts of the app come after this module and must not wait for the host's texts.
mountHost().catch((error: unknown) => reportError(error));

async function mountHost(): Promise<void> {
  const pinia = createPinia();
  const i18n = await loadTexts();
  const active = document.body.dataset['activeEntry'] ?? '';
  createApp(TopBar, { routed: false, active }).use(pinia).use(i18n).mount('#header');
  createApp(ToastList).use(pinia).use(i18n).mount('#toasts');
}
