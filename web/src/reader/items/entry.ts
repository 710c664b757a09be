import type { ItemJson } from './items-api.js';

/** The part of an item that a list needs; without its text, since tens of thousands are kept. */
export interface Entry {
  readonly id: number;
  readonly feedId: number;
  readonly title: string;
  /** The beginning of the text. */
  readonly snippet: string;
  readonly url: string | null;
  /** Unix seconds. */
  readonly pubDate: number;
  readonly unread: boolean;
  readonly starred: boolean;
  readonly rtl: boolean;
  readonly media: 'audio' | 'video' | null;
  /** Address of a picture. */
  readonly thumbnail: string | null;
  /** To read it; at least 1. */
  readonly minutes: number;
}

/** Enough for two lines of the widest list. */
const SNIPPET_CHARACTERS = 180;
/** Including markup; enough for a snippet of most texts. */
const LOOKED_AT_CHARACTERS = 3_000;

/** Including markup. */
const CHARACTERS_PER_MINUTE = 1_400;

/** Tags that separate words. */
const BLOCK_TAG =
  /<\/?(?:p|div|br|hr|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|blockquote|pre|figure|figcaption|img|section|article|header|footer|details|summary)\b/gi;

export function toEntry(item: ItemJson): Entry {
  return {
    id: item.id,
    feedId: item.feedId,
    title: item.title?.trim() ?? '',
    snippet: snippetOf(item.body),
    url: item.url,
    pubDate: item.pubDate,
    unread: item.unread,
    starred: item.starred,
    rtl: item.rtl,
    media: mediaOf(item.enclosureMime),
    thumbnail: item.mediaThumbnail,
    minutes: Math.max(1, Math.round(item.body.length / CHARACTERS_PER_MINUTE)),
  };
}

export function mediaOf(mime: string | null): 'audio' | 'video' | null {
  const kind = /^(audio|video)\//.exec(mime ?? '')?.[1];
  return (kind as 'audio' | 'video' | undefined) ?? null;
}

function snippetOf(body: string): string {
  // Template contents are inert: nothing is loaded and no script runs.
  const template = document.createElement('template');
  const spaced = body.slice(0, LOOKED_AT_CHARACTERS).replace(BLOCK_TAG, ' $&');
  template.innerHTML = spaced.replace(/<[^>]*$/, '');
  const text = (template.content.textContent ?? '').replace(/\s+/g, ' ').trim();
  return text.length <= SNIPPET_CHARACTERS ? text : `${text.slice(0, SNIPPET_CHARACTERS)}…`;
}
