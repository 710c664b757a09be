// Must be the first import: scripts of the app run right after this module.
import './globals-of-frame.js';
import { watchAppScripts } from '../embedded/app-scripts.js';
import { tellTheme } from '../embedded/app-theme.js';
import '../styles/tokens.css?framed';
import '../styles/base.css?framed';
import '../embedded/embedded.css?framed';
import './framed.css';
import { onHostMessage, sendToHost } from './host-bridge.js';
import { reportPlace } from './places.js';
import { visitor } from './visitor.js';

/*
 * Style sheets have the suffix so that they are files of their own: shared ones would bring the scripts of
 * our pages along.
 *
 * The page of an external app in a frame, on an origin of its own. Messages connect it to the page around
 * it.
 */
type Theme = Parameters<typeof tellTheme>[0];
const THEMES: readonly string[] = ['system', 'light', 'dark', 'sepia', 'black'] satisfies Theme[];

function showTheme(theme: string): void {
  if (!THEMES.includes(theme)) {
    return;
  }
  if (theme === 'system') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = theme;
  }
  tellTheme(theme as Theme);
}

showTheme(document.documentElement.dataset['theme'] ?? 'system');
onHostMessage((message) => {
  if (message.type === 'theme') {
    showTheme(message.theme);
  }
});

if (visitor.userId === '') {
  sendToHost({ type: 'lost' });
} else {
  sendToHost({ type: 'ready' });
  // The page around the frame hides it until it is ready again.
  watchAppScripts((isAway) => sendToHost({ type: isAway ? 'away' : 'ready' }));
  reportPlace();
  const given = document.title;
  new MutationObserver(() => {
    // The page around the frame knows the title that the service wrote.
    sendToHost({ type: 'title', text: document.title === given ? '' : document.title });
  }).observe(document.head, { childList: true, subtree: true, characterData: true });
}
