import { createPinia } from 'pinia';
import { createApp, watch, watchEffect } from 'vue';
import App from './App.vue';
import { icons } from './host/icons.js';
import { forgetOtherUsers } from './host/offline-copies.js';
import { page } from './host/page-context.js';
import { arrangeServiceWorkers, followNotices } from './host/service-workers.js';
import { showTheme } from './host/theme.js';
import { router } from './router.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/pages.css';
import { loadTexts, loadTextsOf } from './texts/i18n.js';

watchEffect(showTheme, { flush: 'sync' });
const i18n = await loadTexts();
router.beforeResolve(async ({ meta }) => loadTextsOf(meta.texts, i18n));
createApp(App).use(createPinia()).use(i18n).use(router).use(icons).mount('#app');

void forgetOtherUsers().catch(() => {});

/** Later, since the files that it keeps would compete with the first articles for connection and processor. */
const AFTER_FIRST_PAGE_MILLISECONDS = 1_000;
void router.isReady().finally(() => setTimeout(arrangeWorkers, AFTER_FIRST_PAGE_MILLISECONDS));
followNotices((place) => void router.push(place));

async function arrangeWorkers(): Promise<void> {
  await arrangeServiceWorkers();
  await checkNotices();
}

/** At the start, and after a login in place: the end of a session ends the notices in this browser. */
async function checkNotices(): Promise<void> {
  if (
    page.parts.has('reader') &&
    'Notification' in globalThis &&
    Notification.permission === 'granted'
  ) {
    const { checkPush } = await import('./host/push.js');
    await checkPush().catch(() => {});
  }
}
watch(() => page.requestToken, checkNotices);
