import { createHash } from 'node:crypto';
import type { Language } from '../../../common/texts/languages.js';
import { textIn } from '../../../common/texts/translations.js';
import { cutAt, textOfHtml } from '../../feed-parser/html/plain-text.js';
import { titleOrHost } from '../../news.wire.js';
import { withoutCredentials } from '../../sources/shown-address.js';
import type { DueNotice, NoticedItem } from './notices.repository.js';

export type MessageType =
  | 'item.matched'
  | 'items.summary'
  | 'board.entry'
  | 'board.summary'
  | 'notice.test'
  | 'channel.off';

/** An item in a message, with the names of the News API. */
export interface MessageItem {
  readonly id: number;
  readonly feedId: number;
  readonly feedTitle: string;
  readonly folder: string | null;
  readonly title: string;
  readonly url: string | null;
  readonly readerUrl: string;
  readonly author: string | null;
  /** Unix seconds. */
  readonly pubDate: number;
  readonly excerpt: string;
}

/** What a user is told by any channel. */
export interface NoticeMessage {
  readonly type: MessageType;
  /** 32 characters of base64url, the same for each attempt: devices replace the one that they show. */
  readonly id: string;
  readonly urgent: boolean;
  readonly title: string;
  /** Lines. */
  readonly body: string;
  /** The article, or the list of all, in the reader. */
  readonly readerUrl: string;
  /** Null for several rules, and for what no rule wants to be told. */
  readonly rule: { readonly id: number; readonly name: string } | null;
  /** How many there are in all. */
  readonly count: number;
  readonly items: readonly MessageItem[];
  /** Addresses that mark the article read or starred when they are posted to; null for several. */
  readonly buttons: { readonly read: string; readonly star: string } | null;
  readonly language: Language;
  /** Names of buttons, in the language. */
  readonly words: Readonly<Record<'read' | 'star' | 'original' | 'open', string>>;
}

interface Circumstances {
  /** As the recipient sees them, by id. */
  readonly items: ReadonlyMap<number, NoticedItem>;
  /** Of the service. */
  readonly root: string;
  readonly language: Language;
  /** Where the buttons of a message about one item are. */
  readonly buttonsAt: string;
}

export const EXCERPT_CHARACTERS = 120;
export const MOST_ITEMS = 50;
export const MOST_LINES = 10;
export const MOST_TITLE_CHARACTERS = 250;

/** @param parts what makes the message the same */
export function messageId(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 32);
}

/** The message about one item, or with `gathered` about several. */
export function messageOf(
  readerId: number,
  notices: readonly DueNotice[],
  gathered: string | null,
  { items, root, language, buttonsAt }: Circumstances,
): NoticeMessage {
  const told = [...new Set(notices.map(({ itemId }) => itemId))].flatMap((id) => {
    const item = items.get(id);
    return item === undefined ? [] : [toMessageItem(item, root)];
  });
  const rules = new Map(notices.map(({ ruleId, ruleName }) => [ruleId, ruleName]));
  const [[ruleId = 0, ruleName = ''] = []] = rules;
  const text = (key: string, values = {}) => textIn(language, 'notices', key, values);
  const why = text('rule', { rules: [...rules.values()].join(', ') });
  const common = {
    urgent: notices.some(({ urgent }) => urgent),
    rule: rules.size === 1 ? { id: ruleId, name: ruleName } : null,
    count: told.length,
    items: told.slice(0, MOST_ITEMS),
    language,
    words: wordsIn(language),
  };
  const [item] = told;
  if (gathered === null && item !== undefined) {
    return {
      ...common,
      type: 'item.matched',
      id: messageId(readerId, ruleId, item.id),
      title: item.title,
      body: [item.feedTitle, item.excerpt, why].filter(Boolean).join('\n'),
      readerUrl: item.readerUrl,
      buttons: { read: `${buttonsAt}/read`, star: `${buttonsAt}/star` },
    };
  }
  const lines = told.slice(0, MOST_LINES).map(({ title, feedTitle }) => `${title} (${feedTitle})`);
  const more = told.length - lines.length;
  return {
    ...common,
    type: 'items.summary',
    id: messageId(readerId, gathered ?? ''),
    title: text('articles', { count: String(told.length) }),
    body: [...lines, ...(more > 0 ? [text('more', { count: String(more) })] : []), why].join('\n'),
    readerUrl: `${root}/apps/news`,
    buttons: null,
  };
}

/** A message that is not about items of a reader. */
export function ownMessage(
  type: Exclude<MessageType, `item${string}`>,
  id: string,
  title: string,
  body: string,
  language: Language,
  root: string,
): NoticeMessage {
  const nothing = { urgent: false, rule: null, count: 0, items: [], buttons: null };
  const readerUrl = `${root}/apps/news`;
  return { type, id, title, body, language, readerUrl, words: wordsIn(language), ...nothing };
}

function wordsIn(language: Language): NoticeMessage['words'] {
  const word = (key: string) => textIn(language, 'notices', key);
  return { read: word('read'), star: word('star'), original: word('original'), open: word('open') };
}

function toMessageItem(item: NoticedItem, root: string): MessageItem {
  const { id, feedId, folder, url, author, pubDate } = item;
  // The text may end within a tag.
  const text = textOfHtml((item.html ?? '').replace(/<[^>]*$/, ''));
  return {
    id,
    feedId,
    feedTitle: titleOrHost(item.feedTitle, item.feedUrl),
    folder,
    title: cutAt((item.title ?? '').trim() || (url ?? '…'), MOST_TITLE_CHARACTERS),
    url: url === null ? null : withoutCredentials(url),
    readerUrl: `${root}/apps/news/feeds/${feedId}/items/${id}`,
    author,
    pubDate,
    excerpt: cutAt(text, EXCERPT_CHARACTERS),
  };
}
