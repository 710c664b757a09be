import { z } from 'zod';
import { SendTemplates } from '../../../common/config/send-template.js';

/** Constructs that load something: the values of style sheet functions may come from anywhere. */
const LOADS =
  /@import|(?<![\w-])(?:src|image|cross-fade|element|paint)\s*\(|image-set\s*\(|url\s*\((?!\s*["']?\s*(?:data:|#))/i;

/** A preference: its schema and its default. */
export interface PreferenceField {
  readonly schema: z.ZodType;
  readonly initial: unknown;
  /** Whether its value is an object whose entries are changed one by one. */
  readonly isMap: boolean;
}

const MOST_FOLDERS = 2000;
const MOST_FEEDS = 2000;
const MOST_QUEUED = 50;
const LONGEST_STYLE_SHEET = 20_000;

/** In the form of messages: `must be one of a, b`. */
const oneOf = <const Names extends readonly string[]>(...names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

const between = (least: number, most: number) =>
  z
    .number({ error: `must be a number from ${least} to ${most}` })
    .min(least, { error: `must be at least ${least}` })
    .max(most, { error: `must be at most ${most}` });

const onOff = z.boolean({ error: 'must be true or false' });
const id = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
/** The code of a language as apps name it, `zh_CN` or a name, or empty for the default. */
const language = z
  .string()
  .regex(/^(?:\p{L}[^>\p{C}]{0,63})?$/u, { error: 'must be a language such as "en"' });
const styleSheet = z
  .string()
  .max(LONGEST_STYLE_SHEET, { error: `has at most ${LONGEST_STYLE_SHEET} characters` })
  .refine(loadsNothing, { error: 'must not load anything (no @import, no url() but data:)' });
const webAddress = z
  .string()
  .max(2000)
  .regex(/^https?:\/\//i, { error: 'must be an http or https address' });

const Recording = z.object({
  itemId: id,
  title: z.string().max(500),
  feedTitle: z.string().max(500),
  url: webAddress,
  picture: webAddress.nullable(),
});

function one(schema: z.ZodType, initial: unknown): PreferenceField {
  return { schema, initial, isMap: false };
}

/** @param most entries @param key pattern of an entry's name */
function mapOf(value: z.ZodType, most: number, key: RegExp): PreferenceField {
  const schema = z
    .record(z.string().regex(key), value)
    .refine((map) => Object.keys(map).length <= most, { error: `has at most ${most} entries` });
  return { schema, initial: {}, isMap: true };
}

const LIST_WITH_ORDER = /^(?:unread|all|starred|(?:folder|label)-[1-9]\d{0,15})$/;
/** A key, or two that are pressed one after the other: `g u`. */
const Keys = z
  .string()
  .max(40)
  .regex(/^\S+( \S+)?$/, { error: 'must be a key, or two keys separated by a space' });
const MOST_KEYS = 4;
const MOST_SHORTCUTS = 100;
const SHORTCUT_NAME = /^[a-z]{1,40}$/i;

/**
 * Every preference by area. A new one is added here, and with the same default where the pages use
 * it (`web/src/host/pages-preferences.ts`, `web/src/reader/model/preferences.ts`).
 */
export const PREFERENCE_AREAS = {
  /** Preferences of all pages. */
  pages: {
    /** Empty: the browser's. */
    language: one(language, ''),
    theme: one(oneOf('system', 'light', 'dark', 'sepia', 'black'), 'system'),
  },
  reader: {
    sidebarShown: one(onOff, true),
    oldestFirst: one(onOff, false),
    /** Order of lists; others follow `oldestFirst`. */
    orderOf: mapOf(oneOf('oldest', 'newest'), MOST_FOLDERS + 3, LIST_WITH_ORDER),
    hideRead: one(onOff, false),
    markReadOnScroll: one(onOff, false),
    shortcuts: one(onOff, true),
    closedFolderIds: one(z.array(id).max(MOST_FOLDERS), []),
    /** Feeds whose articles open at their website. */
    originalFeedIds: one(z.array(id).max(MOST_FEEDS), []),
    /** Hides feeds without unread articles. */
    hideReadFeeds: one(onOff, false),
    /** That each story can be shown once was offered. */
    storiesOffered: one(onOff, false),
    layout: one(oneOf('compact', 'list', 'cards'), 'list'),
    /** The list has the full width, and articles unfold in it. */
    unfolding: one(onOff, false),
    /** Keys by the name of their shortcut; none: it is switched off. */
    keys: mapOf(z.array(Keys).max(MOST_KEYS), MOST_SHORTCUTS, SHORTCUT_NAME),
    /** Empty: the language of the pages. */
    translateTo: one(language, ''),
    font: one(oneOf('sans', 'serif', 'mono', 'legible'), 'sans'),
    fontSizePixels: one(between(12, 32), 17),
    lineCharacters: one(between(40, 140), 70),
    lineHeight: one(between(1.2, 2.4), 1.65),
    justify: one(onOff, false),
    /** The person's own links by which articles are sent on. */
    sendTemplates: one(SendTemplates, []),
    /** The person's own style sheet for articles. */
    styleSheet: one(styleSheet, ''),
  },
  player: {
    speed: one(between(0.5, 3), 1),
    /** The loaded recording; null for none. */
    current: one(Recording.nullable(), null),
    queue: one(z.array(Recording).max(MOST_QUEUED), []),
  },
  files: {
    view: one(oneOf('list', 'grid'), 'list'),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, PreferenceField>>>>;

export type PreferenceArea = keyof typeof PREFERENCE_AREAS;

export const AREA_NAMES = Object.keys(PREFERENCE_AREAS) as [PreferenceArea, ...PreferenceArea[]];

export function fieldsOf(area: PreferenceArea): ReadonlyMap<string, PreferenceField> {
  return new Map(Object.entries<PreferenceField>(PREFERENCE_AREAS[area]));
}

/**
 * Whether a person's own style sheet loads nothing. Style sheets are shared, and with URLs of its author
 * one could exfiltrate data of the page. The pages have the same rule
 * (`web/src/reader/appearance/style-sheet.ts`); the content security policy is the second line.
 */
export function loadsNothing(styleSheet: string): boolean {
  return !LOADS.test(withoutEscapes(styleSheet));
}

/** `\75 rl(` is `url(`. */
function withoutEscapes(text: string): string {
  return text
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, digits: string) => {
      const code = parseInt(digits, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    })
    .replaceAll('\\', '');
}
