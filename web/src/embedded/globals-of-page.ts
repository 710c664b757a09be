import { watch } from 'vue';
import { page } from '../host/page-context.js';
import { useToasts } from '../parts/toasts.store.js';
import { preferredLanguage } from '../texts/i18n.js';
import { directionOf } from '../texts/languages.js';
import { provideGlobals } from './host-globals.js';
import { pinia } from './pinia.js';

const language = preferredLanguage();
document.documentElement.dir = directionOf(language);
const { emit } = provideGlobals({
  page,
  language,
  toast: (text, kind) => useToasts(pinia).show(text, { kind }),
});

watch(
  () => page.requestToken,
  (token) => emit('csrf-token-update', { token }),
  { flush: 'sync' },
);
