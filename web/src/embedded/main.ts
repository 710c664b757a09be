// Must be the first import: scripts of the app run right after this module.
import './globals-of-page.js';
import { createApp, h, ref, watchEffect } from 'vue';
import { icons } from '../host/icons.js';
import { forgetOtherUsers } from '../host/offline-copies.js';
import { arrangeServiceWorkers } from '../host/service-workers.js';
import { showTheme, theme } from '../host/theme.js';
import AppAway from '../parts/AppAway.vue';
import ToastList from '../parts/ToastList.vue';
import SessionPrompts from '../shell/SessionPrompts.vue';
import TopBar from '../shell/TopBar.vue';
import '../styles/tokens.css';
import '../styles/base.css';
import { loadTexts } from '../texts/i18n.js';
import { watchAppScripts } from './app-scripts.js';
import { tellTheme } from './app-theme.js';
import './embedded.css';
import { pinia } from './pinia.js';

/*
 * The page of an external app: the host's bar at the top; everything below belongs to the app.
 */
watchEffect(showTheme, { flush: 'sync' });
watchEffect(() => tellTheme(theme.value));
const isAway = ref(false);
watchAppScripts((away) => (isAway.value = away));
// Not awaited: scripts of the app run after this module and must not wait for the host's texts.
mountHost().catch((error: unknown) => reportError(error));
void forgetOtherUsers().catch(() => {});
void arrangeServiceWorkers();

async function mountHost(): Promise<void> {
  const i18n = await loadTexts();
  const active = document.body.dataset['activeEntry'] ?? '';
  createApp(TopBar, { routed: false, active }).use(pinia).use(i18n).use(icons).mount('#header');
  createApp({ render: () => [h(ToastList), h(SessionPrompts)] })
    .use(pinia)
    .use(i18n)
    .use(icons)
    .mount('#toasts');
  const notice = document.createElement('div');
  notice.id = 'away';
  document.getElementById('header')?.after(notice);
  createApp(() => isAway.value && h(AppAway, { onAgain: () => location.reload() }))
    .use(i18n)
    .use(icons)
    .mount(notice);
}
