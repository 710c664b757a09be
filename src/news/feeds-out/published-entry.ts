import escapeHtml from 'escape-html';
import { createHash } from 'node:crypto';
import { isWebAddress, openingText, snippetOf } from '../reader/rows/opening.js';
import { shownTitle } from '../reader/streams/stream.js';
import type { PublicSource, PublishedArticle } from './list-contents.repository.js';

/** What a user has noted, and the words that it is about; these are empty for a note of the whole article. */
export interface Note {
  readonly exact: string;
  readonly note: string;
}

/** An article as published lists show it, in every format. */
export interface PublishedEntry {
  /** An absolute address; unique in the list, and the same as long as the article is. */
  readonly id: string;
  readonly title: string;
  readonly url: string | null;
  readonly author: string | null;
  readonly source: PublicSource;
  readonly publishedSeconds: number;
  readonly updatedSeconds: number;
  readonly rtl: boolean;
  /** Plain text; null with the whole text. */
  readonly excerpt: string | null;
  /** Sanitised: the whole text or the excerpt, and the notes. */
  readonly html: string;
  readonly enclosures: readonly {
    readonly url: string;
    readonly mime: string | null;
    /** Bytes. */
    readonly length: number | null;
  }[];
  readonly tags: readonly string[];
}

/** A published list in one form for all formats. */
export interface PublishedList {
  /** Whether it is one article. */
  readonly isArticle: boolean;
  readonly name: string;
  /** An absolute address that does not tell the token. */
  readonly id: string;
  readonly updatedSeconds: number;
  readonly entries: readonly PublishedEntry[];
}

/** Guids that are addresses without more ado. */
const ADDRESS = /^(?:https?|urn|tag):[\w!#$%&'()*+,./:;=?@~-]+$/i;

/** Years that every reader of dates knows. */
const LATEST_SECONDS = Date.UTC(2999, 0) / 1000;

export function toEntry(
  article: PublishedArticle,
  source: PublicSource,
  fullText: boolean,
  notes: readonly Note[],
): PublishedEntry {
  const { guid, url, author, pubDateSeconds, updatedDateSeconds, extras, rtl } = article;
  const body = article.body ?? '';
  const link = url !== null && isWebAddress(url) ? url : null;
  const excerpt = fullText ? null : snippetOf(openingText(body));
  const text = excerpt === null ? body : excerpt && `<p>${escapeHtml(excerpt)}</p>`;
  const publishedSeconds = clamped(pubDateSeconds);
  return {
    id: ADDRESS.test(guid) ? guid : (link ?? urnOf(`${article.sourceId} ${guid}`)),
    title: shownTitle({ title: article.title, body, url }),
    url: link,
    author: author?.trim() || null,
    source: { title: source.title, link: isWebAddress(source.link ?? '') ? source.link : null },
    publishedSeconds,
    updatedSeconds: Math.max(publishedSeconds, clamped(updatedDateSeconds ?? 0)),
    rtl,
    excerpt,
    html: text + notes.map(noteHtml).join(''),
    enclosures: enclosuresOf(article).filter((file) => isWebAddress(file.url)),
    tags: extras?.tags ?? [],
  };
}

/** Two feeds may have the same guid, which names only one entry of a list. */
export function withUniqueIds(entries: readonly PublishedEntry[]): PublishedEntry[] {
  const taken = new Set<string>();
  return entries.map((entry) => {
    const id = taken.has(entry.id)
      ? urnOf(`${entry.source.title} ${entry.id} ${taken.size}`)
      : entry.id;
    taken.add(id);
    return { ...entry, id };
  });
}

/** A name of the form that Atom wants, made of a text. */
export function urnOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const isoDate = (seconds: number) => new Date(seconds * 1000).toISOString();

function noteHtml({ exact, note }: Note): string {
  const words = exact === '' ? '' : `<blockquote>${inLines(exact)}</blockquote>`;
  return `${words}<p><em>${inLines(note)}</em></p>`;
}

const inLines = (text: string) => escapeHtml(text).replaceAll(/\r\n|[\r\n]/g, '<br>');

const clamped = (seconds: number) => Math.min(Math.max(seconds, 0), LATEST_SECONDS);

function enclosuresOf({ enclosureLink, enclosureMime, extras }: PublishedArticle) {
  const all = (extras?.media ?? []).map(({ url, mime, length }) => ({ url, mime, length }));
  return all.length > 0 || enclosureLink === null
    ? all
    : [{ url: enclosureLink, mime: enclosureMime, length: null }];
}
