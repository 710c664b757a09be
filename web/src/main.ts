import { createPinia } from 'pinia';
import { createApp } from 'vue';
import App from './App.vue';
import { addressOf } from './host/page-context.js';
import { showTheme } from './host/theme.js';
import { router } from './router.js';
import './styles/tokens.css';
import './styles/base.css';
import { loadTexts } from './texts/i18n.js';

showTheme();
const i18n = await loadTexts();
createApp(App).use(createPinia()).use(i18n).use(router).mount('#app');

if ('serviceWorker' in navigator) {
  // Only makes the pages installable; they work without it.
  navigator.serviceWorker.register(addressOf('/sw.js'), { scope: addressOf('/') }).catch(() => {});
}
