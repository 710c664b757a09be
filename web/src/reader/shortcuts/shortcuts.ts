import { computed } from 'vue';
import { useListener } from '../../host/listen.js';
import { preferences } from '../model/preferences.js';

/**
 * Shortcuts in the order of their help dialog. A space separates two keys pressed in sequence.
 * Capital letters require Shift, so that Caps Lock does not trigger them.
 */
export const SHORTCUTS = [
  { does: 'nextArticle', keys: ['j'] },
  { does: 'previousArticle', keys: ['k'] },
  { does: 'nextEntry', keys: ['n'] },
  { does: 'previousEntry', keys: ['p'] },
  { does: 'openEntry', keys: ['o', 'Enter'] },
  { does: 'openOriginal', keys: ['v'] },
  { does: 'nextFeed', keys: ['J'] },
  { does: 'previousFeed', keys: ['K'] },
  { does: 'nextUnreadFeed', keys: ['U'] },
  { does: 'toggleUnread', keys: ['m'] },
  { does: 'toggleStarred', keys: ['s'] },
  { does: 'sendOn', keys: ['S'] },
  { does: 'labels', keys: ['l'] },
  { does: 'highlight', keys: ['h'] },
  { does: 'markAllRead', keys: ['A'] },
  { does: 'refresh', keys: ['r'] },
  { does: 'search', keys: ['/'] },
  { does: 'goToUnread', keys: ['g u'] },
  { does: 'goToAll', keys: ['g a'] },
  { does: 'goToStarred', keys: ['g s'] },
  { does: 'addFeed', keys: ['a'] },
  { does: 'savePage', keys: ['b'] },
  { does: 'feedSettings', keys: ['e'] },
  { does: 'toggleSidebar', keys: ['f'] },
  { does: 'playPause', keys: ['P'] },
  { does: 'help', keys: ['?'] },
  { does: 'close', keys: ['Escape'] },
] as const;

export type ShortcutName = (typeof SHORTCUTS)[number]['does'];

/** Maximum pause between the two keys of a sequence. */
const SEQUENCE_MILLISECONDS = 1_500;

/** Closes the topmost element; its key cannot be changed. */
export const FIXED_SHORTCUT: ShortcutName = 'close';

/** The chosen or default keys of a shortcut; none: it is switched off. */
export function keysOf(name: ShortcutName): readonly string[] {
  const chosen = name === FIXED_SHORTCUT ? undefined : preferences.keys[name];
  return chosen ?? SHORTCUTS.find(({ does }) => does === name)?.keys ?? [];
}

const byKeys = computed(
  () => new Map(SHORTCUTS.flatMap(({ does }) => keysOf(does).map((keys) => [keys, does] as const))),
);
const firstKeys = computed(
  () => new Set([...byKeys.value.keys()].filter(isSequence).map((keys) => keys.charAt(0))),
);

/** The shortcut that has these keys, or begins with them, or begins as they do. */
export function conflictOf(keys: string, except: ShortcutName): ShortcutName | null {
  const clashes = (other: string) =>
    other === keys || other.startsWith(`${keys} `) || keys.startsWith(`${other} `);
  return SHORTCUTS.find(({ does }) => does !== except && keysOf(does).some(clashes))?.does ?? null;
}

/** Whether a key is the first of a sequence, as `g` is of `g u`. */
export function beginsSequence(key: string): boolean {
  return firstKeys.value.has(key);
}

/** Handles shortcuts while the component is mounted, except while typing in a field. */
export function useShortcuts(actions: Readonly<Record<ShortcutName, () => unknown>>): void {
  let first = '';
  let firstAt = 0;

  function onKey(event: KeyboardEvent): void {
    if (isMeantForOthers(event)) {
      return;
    }
    const isSecond = first !== '' && event.timeStamp - firstAt < SEQUENCE_MILLISECONDS;
    const does = byKeys.value.get(isSecond ? `${first} ${event.key}` : event.key);
    const startsSequence = !isSecond && beginsSequence(event.key);
    first = startsSequence ? event.key : '';
    firstAt = event.timeStamp;
    if (does !== undefined) {
      event.preventDefault();
      actions[does]();
    }
  }

  useListener(document, 'keydown', onKey);
}

function isMeantForOthers(event: KeyboardEvent): boolean {
  const { key, target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) {
    return true;
  }
  if (key === 'Escape') {
    return document.querySelector('dialog[open]') !== null;
  }
  if (!preferences.shortcuts || (/^[A-Z]$/.test(key) && !event.shiftKey)) {
    return true;
  }
  if (document.querySelector('dialog[open], [role="menu"]') !== null) {
    return true;
  }
  const element = target instanceof Element ? target : document.body;
  const isWriting = element.closest('input, textarea, select, [contenteditable]') !== null;
  // In the list the focus lags behind the selected entry, so Enter on a row is handled here.
  const isPressing =
    key === 'Enter' &&
    element.closest('a:not([data-item]), button, summary, audio, video') !== null;
  return isWriting || isPressing;
}

function isSequence(keys: string): boolean {
  return keys.includes(' ');
}
