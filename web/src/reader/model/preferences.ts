import { preferenceArea } from '../../host/preferences.js';
import { chooseTheme } from '../../host/theme.js';
import type { SendTemplate } from './notices-api.js';

/** One line, a few lines, or a few lines below a large picture. */
export const ROW_LAYOUTS = ['compact', 'list', 'cards'] as const;
export type RowLayout = (typeof ROW_LAYOUTS)[number];

/**
 * Reading preferences, kept by the service: components read and write them, and changes are saved.
 * A new field is also added to `src/platform/accounts/preferences/preference-fields.ts`, with its default.
 */
interface Preferences {
  sidebarShown: boolean;
  oldestFirst: boolean;
  /** Order of lists: `unread`, `all`, `starred`, `folder-ID`; others follow `oldestFirst`. */
  orderOf: Record<string, 'oldest' | 'newest'>;
  hideRead: boolean;
  markReadOnScroll: boolean;
  shortcuts: boolean;
  closedFolderIds: number[];
  /** Feeds whose articles open at their website. */
  originalFeedIds: number[];
  /** Hides feeds without unread articles. */
  hideReadFeeds: boolean;
  layout: RowLayout;
  /** The list has the full width, and articles unfold in it. */
  unfolding: boolean;
  /** Keys chosen for shortcuts, by the name of the shortcut. */
  keys: Record<string, readonly string[]>;
  /** Target language of translations; empty: the page's language. */
  translateTo: string;
  font: 'sans' | 'serif' | 'mono' | 'legible';
  fontSizePixels: number;
  lineCharacters: number;
  lineHeight: number;
  justify: boolean;
  /** That each story can be shown once was offered. */
  storiesOffered: boolean;
  /** The person's own links by which articles are sent on. */
  sendTemplates: readonly SendTemplate[];
  /** The person's own style sheet for articles. */
  styleSheet: string;
}

const DEFAULTS: Preferences = {
  sidebarShown: true,
  oldestFirst: false,
  orderOf: {},
  hideRead: false,
  markReadOnScroll: false,
  shortcuts: true,
  closedFolderIds: [],
  originalFeedIds: [],
  hideReadFeeds: false,
  layout: 'list',
  unfolding: false,
  keys: {},
  translateTo: '',
  font: 'sans',
  fontSizePixels: 17,
  lineCharacters: 70,
  lineHeight: 1.65,
  justify: false,
  storiesOffered: false,
  sendTemplates: [],
  styleSheet: '',
};

export const preferences = preferenceArea<Preferences>('reader', DEFAULTS);

/** Returns theme and typography to their defaults; the person's own style sheet stays. */
export function resetAppearance(): void {
  const { font, fontSizePixels, lineCharacters, lineHeight, justify } = DEFAULTS;
  Object.assign(preferences, { font, fontSizePixels, lineCharacters, lineHeight, justify });
  chooseTheme('system');
}
