import { shownSentence } from '../../common/texts/visitor-language.js';
import type { AddedPage } from '../adding/added-items.input.js';
import type { AddedItem } from '../adding/added-items.service.js';
import { decodeReferences, escapeHtml } from '../feed-parser/html/character-references.js';
import { pageAddress } from '../query/page-address.js';
import type { SeenPage } from '../sources/full-text/fetch-article.service.js';
import type { UnseenPage } from '../sources/full-text/page-readings.service.js';

/** An item of a page, as far as it could be read. */
export interface PageItem extends AddedItem {
  readonly url: string;
  readonly title: string;
  readonly hasText: boolean;
  /** Why it has no text: a sentence. */
  readonly problem: string | null;
  /** Other addresses of the page. */
  readonly alsoAt: readonly string[];
}

const LOGIN_STATUSES = new Set([401, 402, 403, 407]);

/** What is stored of a page; without its text, a sentence says why. */
export function pageItem(page: AddedPage, seen: SeenPage | UnseenPage): PageItem {
  const { pageTitle = null, guid, author, pubDate } = page;
  const asked = pageAddress(page.url);
  const unread = { hasText: false, guid, author, pubDate, alsoAt: [] };
  if (!('mime' in seen)) {
    const { problem } = seen;
    const title = pageTitle ?? nameOf(asked);
    return { ...unread, url: asked, title, problem, body: bodyOf(problem) };
  }
  const { about, article, mime } = seen;
  const problem = problemOf(seen);
  // The address and the title of a login page are not those of the page behind it.
  const isElsewhere = about === null || (article === null && about.asksForPassword);
  const url = isElsewhere ? asked : pageAddress(seen.url);
  const title = isElsewhere && pageAddress(seen.url) !== asked ? null : (about?.title ?? null);
  const canonical = about?.canonicalUrl ?? null;
  const isOwn = canonical !== null && new URL(canonical).host === new URL(url).host;
  return {
    ...unread,
    hasText: article !== null,
    url,
    title: title ?? pageTitle ?? nameOf(asked),
    author: author ?? about?.author ?? undefined,
    pubDate: pubDate ?? about?.publishedSeconds ?? undefined,
    picture: mime.startsWith('image/') ? url : (about?.picture ?? firstPictureIn(article?.html)),
    ...(/^(?:audio|video)\//.test(mime) && { enclosureLink: url, enclosureMime: mime }),
    body: article?.html ?? bodyOf(problem ?? '', about?.description ?? null, about?.player ?? null),
    problem,
    alsoAt: article !== null && isOwn ? [canonical] : [],
  };
}

function problemOf({ about, article, failure, mime, status, url }: SeenPage): string | null {
  const { host } = new URL(url);
  if (article !== null) {
    return null;
  }
  if (LOGIN_STATUSES.has(status) || about?.asksForPassword === true) {
    return `${host} shows this page only after a login.`;
  }
  if (mime === 'application/pdf' && status < 300) {
    return 'This is a PDF document, whose text is not read.';
  }
  return failure?.message ?? null;
}

/** In the language of who keeps the page: it becomes a part of an article. */
function bodyOf(problem: string, description: string | null = null, player: string | null = null) {
  const parts = [
    `<p>${escapeHtml(shownSentence(problem))}</p>`,
    description === null ? '' : `<blockquote>${escapeHtml(description)}</blockquote>`,
    // Becomes a link unless the sanitiser knows the player.
    player === null ? '' : `<p><iframe src="${escapeHtml(player)}"></iframe></p>`,
  ];
  return parts.join('\n');
}

function firstPictureIn(html = ''): string | null {
  const [, src = null] = /<img\s[^>]*?\bsrc="([^"]+)"/.exec(html) ?? [];
  return src === null ? null : decodeReferences(src);
}

/** The file name, or the address without its scheme. */
function nameOf(address: string): string {
  const { pathname, host } = new URL(address);
  const last = pathname.split('/').at(-1) ?? '';
  const isFile = /\.[a-z0-9]{2,5}$/i.test(last);
  return isFile ? decoded(last) : decoded(`${host}${pathname}`).replace(/\/$/, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
