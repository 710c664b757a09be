import type { Language } from '../../common/texts/languages.js';
import { textIn } from '../../common/texts/translations.js';
import { cutAt } from '../feed-parser/html/plain-text.js';
import {
  EXCERPT_CHARACTERS,
  messageId,
  MOST_LINES,
  MOST_TITLE_CHARACTERS,
  ownMessage,
  type MessageItem,
  type NoticeMessage,
} from '../reader/notices/notice-message.js';
import { withoutCredentials } from '../sources/shown-address.js';
import type { WaitingWebhook } from './board-webhooks.repository.js';
import type { BoardEntry } from './boards.repository.js';

const MOST_NOTE_CHARACTERS = 1000;

interface Place {
  readonly boardId: number;
  readonly boardName: string;
  readonly groupName: string;
  readonly language: Language;
}

/**
 * The message about one entry, or with `gatherTo` about several.
 *
 * @param count how many there are in all
 * @param root of the service
 */
export function boardMessage(
  webhook: WaitingWebhook,
  entries: readonly BoardEntry[],
  count: number,
  root: string,
): NoticeMessage {
  const { id, boardName, groupName, language, toldEntryId, gatherTo } = webhook;
  const items = entries.map((entry) => toMessageItem(entry, webhook, root));
  const [first] = items;
  const place = `${boardName} (${groupName})`;
  if (gatherTo === null && first !== undefined) {
    const own = messageId('board', id, first.id);
    const body = `${whyOf(first, language)}\n${place}`;
    const message = ownMessage('board.entry', own, first.title, body, language, root);
    return { ...message, readerUrl: first.readerUrl, count, items };
  }
  const shortItems = items.map((item) => ({
    ...item,
    excerpt: cutAt(item.excerpt, EXCERPT_CHARACTERS),
  }));
  const own = messageId('board', id, toldEntryId, gatherTo ?? 0);
  const title = textIn(language, 'notices', 'boardEntries', {
    board: boardName,
    count: String(count),
  });
  const lines = items
    .slice(0, MOST_LINES)
    .map(({ title: one, url, author }) => `${one} (${author})${url === null ? '' : `\n${url}`}`);
  const body = [...lines, ...moreOf(count - lines.length, language), place].join('\n');
  const message = ownMessage('board.summary', own, title, body, language, root);
  return { ...message, count, items: shortItems };
}

/** Subject and text of a digest. @param settingsUrl where its switch is */
export function digestMail(
  entries: readonly BoardEntry[],
  count: number,
  place: Place,
  root: string,
  settingsUrl: string,
) {
  const { boardName: board, groupName: group, language } = place;
  const paragraphs = entries.map((entry) => {
    const item = toMessageItem(entry, place, root);
    return [item.title, ...(item.url === null ? [] : [item.url]), whyOf(item, language)].join('\n');
  });
  const more = moreOf(count - entries.length, language);
  const footer = `${textIn(language, 'notices', 'boardDigest', { group })}\n${settingsUrl}`;
  return {
    subject: textIn(language, 'notices', 'boardEntries', { board, count: String(count) }),
    text: [...paragraphs, ...more, `${root}/apps/news`, footer].join('\n\n'),
  };
}

function moreOf(count: number, language: Language): string[] {
  return count > 0 ? [textIn(language, 'notices', 'more', { count: String(count) })] : [];
}

function whyOf({ author, excerpt: note }: MessageItem, language: Language): string {
  return textIn(language, 'notices', note === '' ? 'addedBy' : 'addedWhy', {
    name: author ?? '',
    note,
  });
}

/** An entry with the names of items; who added it first is the author, and why the excerpt. */
function toMessageItem(
  { id, title, url: link, additions: [first] }: BoardEntry,
  { boardId, boardName, groupName }: Omit<Place, 'language'>,
  root: string,
): MessageItem {
  // Slack ends an address at a bar.
  const url = URL.parse(withoutCredentials(link ?? ''))?.href.replaceAll('|', '%7C') ?? null;
  return {
    id,
    feedId: boardId,
    feedTitle: boardName,
    folder: groupName,
    title: cutAt(oneLine(title ?? '') || (url ?? '…'), MOST_TITLE_CHARACTERS),
    url,
    readerUrl: url ?? `${root}/apps/news`,
    author: first?.name ?? '',
    pubDate: first?.addedSeconds ?? 0,
    excerpt: cutAt(oneLine(first?.note ?? ''), MOST_NOTE_CHARACTERS),
  };
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
