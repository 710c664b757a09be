// Must be the first import: scripts of the app run right after this module.
import './globals-of-page.js';
import { createApp, watchEffect } from 'vue';
import { icons } from '../host/icons.js';
import { forgetOtherUsers } from '../host/offline-copies.js';
import { arrangeServiceWorkers } from '../host/service-workers.js';
import { showTheme, theme } from '../host/theme.js';
import ToastList from '../parts/ToastList.vue';
import TopBar from '../shell/TopBar.vue';
import '../styles/tokens.css';
import '../styles/base.css';
import { loadTexts } from '../texts/i18n.js';
import { tellTheme } from './app-theme.js';
import './embedded.css';
import { pinia } from './pinia.js';

/*
 * The page of an external app: the host's bar at the top; everything below belongs to the app.
 */
watchEffect(showTheme, { flush: 'sync' });
watchEffect(() => tellTheme(theme.value));
// Not awaited: scripts of the app run after this module and must not wait for the host's texts.
mountHost().catch((error: unknown) => reportError(error));
void forgetOtherUsers().catch(() => {});
void arrangeServiceWorkers();

async function mountHost(): Promise<void> {
  const i18n = await loadTexts();
  const active = document.body.dataset['activeEntry'] ?? '';
  createApp(TopBar, { routed: false, active }).use(pinia).use(i18n).use(icons).mount('#header');
  createApp(ToastList).use(pinia).use(i18n).use(icons).mount('#toasts');
}
