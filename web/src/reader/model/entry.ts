import type { Headline, ItemJson, RowJson } from './items-api.js';

/** The part of an item that a list needs; without its text, since tens of thousands are kept. */
export type Entry = RowJson;

/** An item with everything that the article view shows. */
export interface Article extends Headline {
  readonly author: string;
  /** HTML from the publisher, not to be trusted. */
  readonly body: string;
  readonly enclosureLink: string | null;
  readonly enclosureMime: string | null;
  readonly thumbnail: string | null;
  /** Translated by an automatic task; null without one. */
  readonly translatedTitle: string | null;
  readonly summary: string | null;
}

/** The fields of an item that users change. */
export type Flags = Partial<Pick<Headline, 'unread' | 'starred' | 'labels'>>;

export function headlineOf(item: ItemJson): Headline {
  const { id, feedId, url, pubDate, unread, starred, rtl, labels = [], enclosureMime } = item;
  const kind = /^(audio|video)\//.exec(enclosureMime ?? '')?.[1];
  const media = (kind as 'audio' | 'video' | undefined) ?? null;
  const title = item.title?.trim() ?? '';
  return { id, feedId, title, url, pubDate, unread, starred, rtl, media, labels };
}

/**
 * Whether a place of a list comes before another.
 *
 * @param one, other `RowJson.place`
 */
export function isBefore(one: string, other: string, oldestFirst: boolean): boolean {
  const [date = 0, id = 0] = numbersOf(one);
  const [otherDate = 0, otherId = 0] = numbersOf(other);
  const difference = date - otherDate || id - otherId;
  return oldestFirst ? difference < 0 : difference > 0;
}

const numbersOf = (place: string) => place.split('.').map(Number);
