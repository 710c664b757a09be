import { z } from 'zod';
import { firstPicture, isWebAddress, openingText, readingMinutes, snippetOf } from './opening.js';
import { writePlace } from './place.js';
import type { ChangedRow } from './rows.repository.js';
import type { ChangedRows, RowsPage } from './rows.service.js';
import type { ListedRow } from './rows.sql.js';

/** @see docs/news-api.md "Lists by date" */
export function toRow(row: ListedRow) {
  const { id, feedId, title, url, author, unread, starred, rtl, dateSeconds, opening } = row;
  const text = openingText(opening);
  return {
    id,
    feedId,
    title: title ?? '',
    url,
    author,
    pubDate: dateSeconds,
    snippet: snippetOf(text),
    thumbnail: thumbnailOf(row),
    media: mediaOf(row.enclosureMime),
    minutes: readingMinutes(opening, text, row.bodyBytes),
    unread,
    starred,
    rtl,
    ...labelsOf(row),
    ...(row.translatedTitle === null ? {} : { translatedTitle: row.translatedTitle }),
    ...(row.duplicateOf === null ? {} : { duplicateOf: row.duplicateOf }),
    ...(row.copies === null ? {} : { copies: row.copies }),
    place: writePlace({ dateSeconds, id }),
  };
}

export function toPage(page: RowsPage) {
  const { rows, isFull, newestItemId, changesKnownMicros, isAutomated, hiddenCount } = page;
  const last = rows.at(-1);
  return {
    rows: rows.map(toRow),
    next: isFull && last !== undefined ? writePlace(last) : null,
    ...(newestItemId === null || changesKnownMicros === null
      ? {}
      : { newestItemId, since: changesKnownMicros }),
    ...(isAutomated ? { automated: true } : {}),
    ...(hiddenCount > 0 ? { hidden: hiddenCount } : {}),
  };
}

export function toChanges({ rows, isComplete, changesKnownMicros }: ChangedRows) {
  return { rows: rows.map(toChangedRow), isComplete, since: changesKnownMicros };
}

function toChangedRow(row: ChangedRow) {
  const { id, feedId, unread, starred, dateSeconds } = row;
  const place = writePlace({ dateSeconds, id });
  return { id, feedId, unread, starred, ...labelsOf(row), place };
}

/** Absent while the user has no labels. */
function labelsOf({ labels }: Pick<ChangedRow, 'labels'>) {
  return labels === null ? {} : { labels };
}

/** The picture of a row; null if there is none. */
function thumbnailOf({ mediaThumbnail, enclosureMime, enclosureLink, opening }: ListedRow) {
  if (mediaThumbnail !== null) {
    return mediaThumbnail;
  }
  if (enclosureLink !== null && /^image\//i.test(enclosureMime ?? '')) {
    return isWebAddress(enclosureLink) ? enclosureLink : null;
  }
  return firstPicture(opening);
}

function mediaOf(mime: string | null): 'audio' | 'video' | null {
  const kind = /^(audio|video)\//i.exec(mime ?? '')?.[1]?.toLowerCase();
  return kind === 'audio' || kind === 'video' ? kind : null;
}

export const RowFields = {
  id: z.int(),
  feedId: z.int(),
  title: z.string(),
  url: z.string().nullable(),
  author: z.string().nullable(),
  pubDate: z.int().describe('Unix seconds.'),
  snippet: z.string(),
  thumbnail: z.string().nullable(),
  media: z.enum(['audio', 'video']).nullable(),
  minutes: z.int().describe('To read it.'),
  unread: z.boolean(),
  starred: z.boolean(),
  rtl: z.boolean(),
  labels: z.array(z.string()).optional(),
  translatedTitle: z.string().optional(),
  duplicateOf: z.int().optional().describe('The item by which the caller has the story.'),
  copies: z
    .array(z.object({ id: z.int(), feedId: z.int(), unread: z.boolean() }))
    .optional()
    .describe('The items that it shows the story of.'),
  place: z.string().describe('In the list; for `before` of the next page.'),
};

export const RowSchema = z.object(RowFields).meta({ id: 'Row' });

const micros = z.int().describe('Unix microseconds.');

export const RowsAnswer = z.object({
  rows: z.array(RowSchema),
  next: z.string().nullable().describe('Null on the last page.'),
  newestItemId: z.int().optional(),
  since: micros.optional(),
  automated: z.boolean().optional(),
  hidden: z.int().optional().describe('Items of the list that rules hide, at most 1000.'),
});

export const ChangedRowsAnswer = z.object({
  rows: z.array(
    z.object({
      id: z.int(),
      feedId: z.int(),
      unread: z.boolean(),
      starred: z.boolean(),
      labels: z.array(z.string()).optional(),
      place: z.string(),
    }),
  ),
  isComplete: z.boolean(),
  since: micros,
});

export const MarkedRowsAnswer = z.object({
  marked: z.int(),
  undo: z.array(micros),
  since: micros,
});

export const UnmarkedRowsAnswer = z.object({ marked: z.int(), since: micros });
