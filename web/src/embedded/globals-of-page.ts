import { page } from '../host/page-context.js';
import { useToasts } from '../parts/toasts.store.js';
import { preferredLanguage } from '../texts/i18n.js';
import { provideGlobals } from './host-globals.js';
import { pinia } from './pinia.js';

provideGlobals({
  page,
  language: preferredLanguage(),
  toast: (text, kind) => useToasts(pinia).show(text, { kind }),
});
