import { provideGlobals } from '../embedded/host-globals.js';
import { openPlace, renewPass, sendToHost } from './host-bridge.js';
import { visitor } from './visitor.js';

provideGlobals({
  page: visitor,
  // Chosen by the service.
  language: document.documentElement.lang,
  toast: (text, kind) => sendToHost({ type: 'toast', text, kind }),
});

/** Interface for apps that support frames. */
Object.assign(window, { gatefold: { open: openPlace, renew: renewPass } });
