import { createPinia } from 'pinia';
import { createApp, watchEffect } from 'vue';
import App from './App.vue';
import { icons } from './host/icons.js';
import { forgetOtherUsers } from './host/offline-copies.js';
import { arrangeServiceWorkers } from './host/service-workers.js';
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
void router
  .isReady()
  .finally(() => setTimeout(arrangeServiceWorkers, AFTER_FIRST_PAGE_MILLISECONDS));
